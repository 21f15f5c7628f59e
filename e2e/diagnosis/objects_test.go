package diagnosis

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// object is a Kubernetes object in short: kind, name and namespace stand at its top, and the rest as in YAML. A text
// "ago 5m" is a time. deleting has it deleted, which its finalizers hold up; as is the user who creates it; request is
// the user of a CertificateSigningRequest; recreate is for fields that cannot change.
type object = map[string]any

// kinds are the resources of the objects' kinds, with their groups and versions.
var kinds = map[string]string{
	"Namespace": "v1 namespaces", "Pod": "v1 pods", "Event": "v1 events", "Node": "v1 nodes", "Secret": "v1 secrets",
	"Service": "v1 services", "PersistentVolumeClaim": "v1 persistentvolumeclaims", "ResourceQuota": "v1 resourcequotas",
	"ConfigMap": "v1 configmaps", "ServiceAccount": "v1 serviceaccounts",
	"EndpointSlice": "discovery.k8s.io/v1 endpointslices",
	"Deployment":    "apps/v1 deployments", "StatefulSet": "apps/v1 statefulsets", "ReplicaSet": "apps/v1 replicasets",
	"StorageClass":              "storage.k8s.io/v1 storageclasses",
	"PodDisruptionBudget":       "policy/v1 poddisruptionbudgets",
	"CertificateSigningRequest": "certificates.k8s.io/v1 certificatesigningrequests",
	"Route":                     "route.openshift.io/v1 routes", "IngressController": "operator.openshift.io/v1 ingresscontrollers",
	"ClusterOperator": "config.openshift.io/v1 clusteroperators", "ClusterVersion": "config.openshift.io/v1 clusterversions",
	"MachineConfigPool": "machineconfiguration.openshift.io/v1 machineconfigpools",
	"HostedCluster":     "hypershift.openshift.io/v1beta1 hostedclusters", "NodePool": "hypershift.openshift.io/v1beta1 nodepools",
	"HostedControlPlane":    "hypershift.openshift.io/v1beta1 hostedcontrolplanes",
	"ControlPlaneComponent": "hypershift.openshift.io/v1beta1 controlplanecomponents",
	"VirtualMachine":        "kubevirt.io/v1 virtualmachines", "VirtualMachineInstance": "kubevirt.io/v1 virtualmachineinstances",
	"VirtualMachineInstanceMigration": "kubevirt.io/v1 virtualmachineinstancemigrations",
	"DataVolume":                      "cdi.kubevirt.io/v1beta1 datavolumes",
	"Machine":                         "cluster.x-k8s.io/v1beta1 machines", "MachineSet": "cluster.x-k8s.io/v1beta1 machinesets",
	"MachineDeployment": "cluster.x-k8s.io/v1beta1 machinedeployments",
	"KubevirtMachine":   "infrastructure.cluster.x-k8s.io/v1alpha1 kubevirtmachines",
	"IPAddressPool":     "metallb.io/v1beta1 ipaddresspools", "L2Advertisement": "metallb.io/v1beta1 l2advertisements",
	"ManagedCluster":                 "cluster.open-cluster-management.io/v1 managedclusters",
	"ValidatingWebhookConfiguration": "admissionregistration.k8s.io/v1 validatingwebhookconfigurations",
	"MutatingWebhookConfiguration":   "admissionregistration.k8s.io/v1 mutatingwebhookconfigurations",
}

// global are the kinds without namespaces.
var global = []string{"Namespace", "Node", "StorageClass", "CertificateSigningRequest", "ClusterOperator", "ManagedCluster",
	"ClusterVersion", "MachineConfigPool",
	"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"}

// cluster writes the objects of one API server.
type cluster struct {
	config  *rest.Config
	dynamic dynamic.Interface
	// undo takes back what a case wrote, the last first.
	undo []func(context.Context) error
}

func connect(t *testing.T, kubeconfig string) *cluster {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	config.QPS, config.WarningHandler = -1, rest.NoWarnings{}
	c := &cluster{config: config}
	if c.dynamic, err = dynamic.NewForConfig(config); err != nil {
		t.Fatal(err)
	}
	return c
}

// at is where objects of a kind are; the control plane's namespace is the default.
func (c *cluster) at(kind, namespace string) (dynamic.ResourceInterface, *unstructured.Unstructured, error) {
	version, plural, known := strings.Cut(kinds[kind], " ")
	if !known {
		return nil, nil, fmt.Errorf("kind %s is not in the table", kind)
	}
	gv, err := schema.ParseGroupVersion(version)
	u := &unstructured.Unstructured{Object: object{}}
	u.SetGroupVersionKind(gv.WithKind(kind))
	if slices.Contains(global, kind) {
		return c.dynamic.Resource(gv.WithResource(plural)), u, err
	}
	if namespace == "" {
		namespace = inside
	}
	u.SetNamespace(namespace)
	return c.dynamic.Resource(gv.WithResource(plural)).Namespace(namespace), u, err
}

// write creates an object, or merges it into the one that exists. With undo, revert takes that back.
func (c *cluster) write(ctx context.Context, o object, undo *[]func(context.Context) error) error {
	kind, _ := o["kind"].(string)
	n, _ := o["name"].(string)
	ns, _ := o["namespace"].(string)
	r, u, err := c.at(kind, ns)
	if err != nil {
		return err
	}
	if user, ok := o["as"].(string); ok {
		config := rest.CopyConfig(c.config)
		config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: []string{"system:masters"}}
		other, err := dynamic.NewForConfig(config)
		if err != nil {
			return err
		}
		r, _, _ = (&cluster{dynamic: other}).at(kind, ns)
	}
	u.SetName(n)
	content := timed(o).(object)
	if subject, ok := o["request"].(string); ok {
		content["spec"].(object)["request"] = requestFor(subject)
	}
	old, err := r.Get(ctx, n, metav1.GetOptions{})
	again := o["recreate"] == true || kind == "Pod" && content["spec"] != nil // what cannot change
	for _, short := range []string{"kind", "name", "namespace", "deleting", "as", "recreate", "request"} {
		delete(content, short)
	}
	switch {
	case apierrors.IsNotFound(err):
		old = nil
	case err != nil:
		return err
	case again:
		if err := remove(ctx, r, n); err != nil {
			return err
		}
	}
	if undo != nil {
		was := old
		*undo = append(*undo, func(ctx context.Context) error { return restore(ctx, r, n, was) })
	}
	if old != nil {
		u = old.DeepCopy()
	}
	u.Object = merge(u.Object, content).(object)
	if again {
		old = nil
	}
	if err := put(ctx, r, u, old, content["status"] != nil); err != nil {
		return fmt.Errorf("%s %s: %w", kind, n, err)
	}
	if o["deleting"] == true {
		return r.Delete(ctx, n, metav1.DeleteOptions{})
	}
	return nil
}

// requestFor is a request for a certificate of a node, in PEM and base64.
func requestFor(subject string) string {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{
		Subject: pkix.Name{CommonName: subject, Organization: []string{"system:nodes"}}}, key)
	if err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
}

// put writes an object and its status.
func put(ctx context.Context, r dynamic.ResourceInterface, u, old *unstructured.Unstructured, status bool) error {
	var written *unstructured.Unstructured
	var err error
	if old == nil {
		for _, field := range []string{"uid", "resourceVersion", "creationTimestamp", "generation", "managedFields",
			"deletionTimestamp", "deletionGracePeriodSeconds"} {
			unstructured.RemoveNestedField(u.Object, "metadata", field)
		}
		written, err = r.Create(ctx, u, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
	} else {
		written, err = r.Update(ctx, u, metav1.UpdateOptions{FieldValidation: metav1.FieldValidationStrict})
	}
	if err != nil || !status {
		return err
	}
	written.Object["status"] = u.Object["status"]
	_, err = r.UpdateStatus(ctx, written, metav1.UpdateOptions{FieldValidation: metav1.FieldValidationStrict})
	return err
}

// restore makes an object what it was, or removes it.
func restore(ctx context.Context, r dynamic.ResourceInterface, n string, was *unstructured.Unstructured) error {
	now, err := r.Get(ctx, n, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		now = nil
	case err != nil:
		return err
	case was == nil || now.GetUID() != was.GetUID() || now.GetDeletionTimestamp() != nil:
		if err := remove(ctx, r, n); err != nil {
			return err
		}
		now = nil
	}
	if was == nil {
		return nil
	}
	u := was.DeepCopy()
	if now != nil {
		u.SetResourceVersion(now.GetResourceVersion())
	}
	if err := put(ctx, r, u, now, u.Object["status"] != nil); err != nil {
		return err
	}
	return observe(ctx, r, n)
}

// observe makes the conditions of an object those of its generation, as its operator would.
func observe(ctx context.Context, r dynamic.ResourceInterface, n string) error {
	u, err := r.Get(ctx, n, metav1.GetOptions{})
	if err != nil {
		return err
	}
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	old := false
	for _, c := range conditions {
		if of, ok := c.(object)["observedGeneration"].(int64); ok && of != u.GetGeneration() {
			c.(object)["observedGeneration"], old = u.GetGeneration(), true
		}
	}
	if !old {
		return nil
	}
	u.Object["status"].(object)["conditions"] = conditions
	_, err = r.UpdateStatus(ctx, u, metav1.UpdateOptions{})
	return err
}

// remove deletes an object at once, whatever holds it.
func remove(ctx context.Context, r dynamic.ResourceInterface, n string) error {
	now, grace := int64(0), metav1.DeletePropagationBackground
	if u, err := r.Get(ctx, n, metav1.GetOptions{}); err == nil && len(u.GetFinalizers()) > 0 {
		u.SetFinalizers(nil)
		if _, err := r.Update(ctx, u, metav1.UpdateOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	err := r.Delete(ctx, n, metav1.DeleteOptions{GracePeriodSeconds: &now, PropagationPolicy: &grace})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// drop removes an object, "Kind [namespace/]name".
func (c *cluster) drop(ctx context.Context, what string) error {
	kind, n, _ := strings.Cut(what, " ")
	ns, bare, found := strings.Cut(n, "/")
	if !found {
		ns, bare = "", n
	}
	r, _, err := c.at(kind, ns)
	if err != nil {
		return err
	}
	was, err := r.Get(ctx, bare, metav1.GetOptions{})
	if err != nil {
		return err
	}
	c.undo = append(c.undo, func(ctx context.Context) error { return restore(ctx, r, bare, was) })
	return remove(ctx, r, bare)
}

// clear removes all objects of a kind but some.
func (c *cluster) clear(ctx context.Context, kind string, but []string) error {
	r, _, err := c.at(kind, "")
	if err != nil {
		return err
	}
	list, err := r.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range list.Items {
		if n := list.Items[i].GetName(); !slices.Contains(but, n) {
			err = errors.Join(err, remove(ctx, r, n))
		}
	}
	return err
}

// revert takes back what was written since.
func (c *cluster) revert(ctx context.Context) error {
	var failed error
	for _, undo := range slices.Backward(c.undo) {
		failed = errors.Join(failed, undo(ctx))
	}
	c.undo = nil
	return failed
}

// merge puts a patch over a value. Conditions are merged by their types; one whose status is "absent" goes.
func merge(over, patch any) any {
	switch p := patch.(type) { //nolint:gocritic // a type switch reads best
	case object:
		o, _ := over.(object)
		out := maps.Clone(o)
		if out == nil {
			out = object{}
		}
		for key, value := range p {
			if value == nil {
				delete(out, key)
				continue
			}
			if list, ok := value.([]any); ok && key == "conditions" {
				out[key] = mergeConditions(out[key], list)
				continue
			}
			out[key] = merge(out[key], value)
		}
		return out
	}
	return patch
}

func mergeConditions(over any, patch []any) []any {
	old, _ := over.([]any)
	out := slices.Clone(old)
	for _, c := range patch {
		kind := c.(object)["type"]
		out = slices.DeleteFunc(out, func(o any) bool { return o.(object)["type"] == kind })
		if c.(object)["status"] != "absent" {
			out = append(out, c)
		}
	}
	return out
}

// timed replaces each "ago 5m" by that time, on hcctl's clock, in a copy.
func timed(v any) any {
	switch value := v.(type) {
	case object:
		out := object{}
		for k, each := range value {
			out[k] = timed(each)
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, each := range value {
			out[i] = timed(each)
		}
		return out
	case string:
		if ago, found := strings.CutPrefix(value, "ago "); found {
			if d, err := time.ParseDuration(ago); err == nil {
				return time.Now().Add(later - d).UTC().Format(time.RFC3339)
			}
		}
	case int:
		return int64(value)
	case json.Number:
		n, _ := value.Int64()
		return n
	}
	return v
}
