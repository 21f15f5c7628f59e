package cluster

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// perRunObject is an object that an operator creates again in each run.
type perRunObject struct{ Kind, Name string }

const (
	kindAPIService = "APIService"
	kindValidating = "ValidatingWebhookConfiguration"
	kindMutating   = "MutatingWebhookConfiguration"
)

// listPerRun lists the objects in the cluster that contain this run's ports and certificates.
func listPerRun(ctx context.Context, c client.Client) ([]perRunObject, error) {
	var (
		out        []perRunObject
		services   apiregistrationv1.APIServiceList
		validating admissionregistrationv1.ValidatingWebhookConfigurationList
		mutating   admissionregistrationv1.MutatingWebhookConfigurationList
	)
	for _, list := range []client.ObjectList{&services, &validating, &mutating} {
		if err := c.List(ctx, list); err != nil {
			return nil, fmt.Errorf("list objects of this run: %w", err)
		}
	}
	for i := range services.Items {
		if services.Items[i].Spec.Service != nil {
			out = append(out, perRunObject{kindAPIService, services.Items[i].Name})
		}
	}
	for i := range validating.Items {
		out = append(out, perRunObject{kindValidating, validating.Items[i].Name})
	}
	for i := range mutating.Items {
		out = append(out, perRunObject{kindMutating, mutating.Items[i].Name})
	}
	return out, nil
}

// awaitAll returns once every object in list exists again and aggregated APIs answer. The error names what is missing.
func awaitAll(ctx context.Context, c client.Client, list []perRunObject) error {
	missing := list
	err := wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		missing = slices.DeleteFunc(slices.Clone(missing), func(o perRunObject) bool { return o.exists(ctx, c) })
		return len(missing) == 0, nil
	})
	if err != nil {
		names := make([]string, len(missing))
		for i, o := range missing {
			names[i] = o.Kind + " " + o.Name
		}
		return fmt.Errorf("the operators have not brought back %s: %w", strings.Join(names, ", "), err)
	}
	return nil
}

// listens reports whether the server of a webhook accepts connections.
func listens(ctx context.Context, at admissionregistrationv1.WebhookClientConfig) bool {
	host := ""
	switch {
	case at.URL != nil:
		u, err := url.Parse(*at.URL)
		if err != nil {
			return false
		}
		host = u.Host
	case at.Service != nil && ptr.Deref(at.Service.Port, 443) != 443:
		// A Service whose name leads to loopback.
		host = net.JoinHostPort("127.0.0.1", strconv.Itoa(int(*at.Service.Port)))
	default:
		return true
	}
	conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", host)
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

// exists reports whether the object exists. It returns false when the API server does not answer.
func (a perRunObject) exists(ctx context.Context, c client.Client) bool {
	key := client.ObjectKey{Name: a.Name}
	switch a.Kind {
	case kindValidating:
		hooks := &admissionregistrationv1.ValidatingWebhookConfiguration{}
		if c.Get(ctx, key, hooks) != nil {
			return false
		}
		for i := range hooks.Webhooks {
			if !listens(ctx, hooks.Webhooks[i].ClientConfig) {
				return false
			}
		}
		return true
	case kindMutating:
		hooks := &admissionregistrationv1.MutatingWebhookConfiguration{}
		if c.Get(ctx, key, hooks) != nil {
			return false
		}
		for i := range hooks.Webhooks {
			if !listens(ctx, hooks.Webhooks[i].ClientConfig) {
				return false
			}
		}
		return true
	}
	service := &apiregistrationv1.APIService{}
	if c.Get(ctx, key, service) != nil {
		return false
	}
	for _, cond := range service.Status.Conditions {
		if cond.Type == apiregistrationv1.Available {
			return cond.Status == apiregistrationv1.ConditionTrue
		}
	}
	return false
}
