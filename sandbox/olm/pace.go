package main

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/operator-framework/operator-lifecycle-manager/pkg/api/client/clientset/versioned"
	"github.com/operator-framework/operator-lifecycle-manager/pkg/controller/operators/catalog"
	"github.com/operator-framework/operator-lifecycle-manager/pkg/lib/operatorclient"
	"golang.org/x/time/rate"
	"k8s.io/client-go/rest"
)

// unthrottle lifts client-go's default limit of 5 requests a second off the catalog operator's clients. The operator
// makes them from a kubeconfig file, which cannot state a limit, so they are reached behind its back; that works for
// the OLM and client-go pinned in go.mod. With the limit five operators installed together need 20 s instead of 5.
func unthrottle(op *catalog.Operator) error {
	var clients []rest.Interface
	crs, err := field[versioned.Interface](op, "client")
	if err != nil {
		return err
	}
	clients = append(clients, crs.OperatorsV1().RESTClient(), crs.OperatorsV1alpha1().RESTClient(), crs.OperatorsV2().RESTClient())
	builtin, err := field[operatorclient.ClientInterface](op, "opClient")
	if err != nil {
		return err
	}
	kube := builtin.KubernetesInterface()
	clients = append(clients, kube.CoreV1().RESTClient(), kube.RbacV1().RESTClient(), kube.AppsV1().RESTClient(),
		kube.AdmissionregistrationV1().RESTClient(), builtin.ApiextensionsInterface().ApiextensionsV1().RESTClient())
	for _, c := range clients {
		limiter, err := field[*rate.Limiter](c.GetRateLimiter(), "limiter")
		if err != nil {
			return err
		}
		limiter.SetLimit(rate.Inf)
	}
	return nil
}

// field reads the unexported field of the struct that holder points to, also when a struct inside it has the field.
func field[T any](holder any, name string) (T, error) {
	var none T
	v := reflect.ValueOf(holder)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return none, fmt.Errorf("%T is no pointer to a struct", holder)
	}
	f := v.Elem().FieldByName(name)
	if !f.IsValid() {
		return none, fmt.Errorf("%T has no field %s", holder, name)
	}
	f = reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem() //nolint:gosec // see unthrottle
	out, ok := f.Interface().(T)
	if !ok {
		return none, fmt.Errorf("field %s of %T is %s", name, holder, f.Type())
	}
	return out, nil
}
