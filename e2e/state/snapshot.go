package state

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
)

// Snapshot is every object of a cluster, by "resource.group namespace/name".
type Snapshot map[string]Object

// Object is an object of a Snapshot.
type Object struct {
	resourceVersion string
	// Text is its labels, annotations, finalizers, spec, data, phase and conditions.
	Text string
}

// Take returns all objects of a cluster. It fetches only those that have changed since the earlier snapshot, which may
// be nil.
func Take(ctx context.Context, cfg *rest.Config, earlier Snapshot) (Snapshot, error) {
	names, err := metadata.NewForConfig(cfg)
	if err != nil {
		return nil, err
	}
	objects, kinds, err := everyKind(cfg)
	if err != nil {
		return nil, err
	}
	now := Snapshot{}
	for _, gvr := range kinds {
		same, err := now.takeUnchanged(ctx, names, gvr, earlier)
		if err == nil && !same {
			err = now.takeAll(ctx, objects, gvr)
		}
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", gvr.GroupResource(), err)
		}
	}
	return now, nil
}

// takeUnchanged takes a kind from the earlier snapshot, if none of its objects has another resourceVersion now.
func (s Snapshot) takeUnchanged(
	ctx context.Context, names metadata.Interface, gvr schema.GroupVersionResource, earlier Snapshot,
) (same bool, err error) {
	if earlier == nil {
		return false, nil
	}
	list, err := names.Resource(gvr).List(ctx, metav1.ListOptions{})
	if err != nil {
		return false, err
	}
	for i := range list.Items {
		o := &list.Items[i]
		if derived(gvr.Resource, o.Name, o.Labels) {
			continue
		}
		key := keyOf(gvr, o.Namespace, o.Name)
		known, ok := earlier[key]
		if !ok || known.resourceVersion != o.ResourceVersion {
			return false, nil
		}
		s[key] = known
	}
	return true, nil
}

func (s Snapshot) takeAll(ctx context.Context, objects dynamic.Interface, gvr schema.GroupVersionResource) error {
	list, err := objects.Resource(gvr).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range list.Items {
		u := &list.Items[i]
		if derived(gvr.Resource, u.GetName(), u.GetLabels()) {
			continue
		}
		text, err := contentOf(u)
		if err != nil {
			return err
		}
		s[keyOf(gvr, u.GetNamespace(), u.GetName())] = Object{u.GetResourceVersion(), text}
	}
	return nil
}

// routerLabel is on the pods and ReplicaSets of routers, which each change of an IngressController replaces.
const routerLabel = "ingresscontroller.operator.openshift.io/deployment-ingresscontroller"

// derived reports whether OLM, the ingress operator, or Kubernetes in each namespace, makes the object of others in its
// own time.
func derived(resource, name string, labels map[string]string) bool {
	_, router := labels[routerLabel]
	return DerivedByOLM(resource, labels) || router || resource == "configmaps" && name == "kube-root-ca.crt"
}

func keyOf(gvr schema.GroupVersionResource, namespace, name string) string {
	return fmt.Sprintf("%s %s/%s", gvr.GroupResource(), namespace, name)
}

// contentOf is an object without identity, times and the parts of its status that change by themselves.
func contentOf(u *unstructured.Unstructured) (string, error) {
	labels := u.GetLabels()
	// OLM marks the namespaces of an OperatorGroup some time after it.
	maps.DeleteFunc(labels, func(key, _ string) bool { return strings.HasPrefix(key, "olm.operatorgroup.uid/") })
	annotations := u.GetAnnotations()
	// A change of a Deployment that was taken back counts up its revisions.
	delete(annotations, "deployment.kubernetes.io/revision")
	kept := map[string]any{
		"labels": labels, "annotations": annotations, "finalizers": u.GetFinalizers(),
		"deleted": u.GetDeletionTimestamp() != nil,
	}
	for key, value := range u.Object {
		switch key {
		case "apiVersion", "kind", "metadata":
		case "status":
			kept[key] = health(value)
		default:
			kept[key] = value
		}
	}
	data, err := json.MarshalIndent(kept, "", " ")
	return string(data), err
}

// health is the phase and the conditions of a status.
func health(status any) map[string]any {
	fields, _ := status.(map[string]any)
	out := map[string]any{"phase": fields["phase"], "state": fields["state"]}
	conditions, _ := fields["conditions"].([]any)
	var all []string
	for _, c := range conditions {
		if condition, ok := c.(map[string]any); ok && condition["type"] != nil {
			all = append(all, fmt.Sprintf("%v %v", condition["type"], condition["status"]))
		}
	}
	slices.Sort(all)
	out["conditions"] = slices.Compact(all)
	return out
}

// Texts returns the objects for Difference.
func (s Snapshot) Texts() map[string]string {
	out := make(map[string]string, len(s))
	for key, o := range s {
		out[key] = o.Text
	}
	return out
}
