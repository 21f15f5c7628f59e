// Package state reads the state of a cluster with client-go, never through hcctl's code, so that tests can compare the
// results of different runs.
package state

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// comesAndGoes are the kinds that change by themselves. CDI creates a StorageProfile for each class, later.
var comesAndGoes = []string{"events", "leases", "endpoints", "endpointslices", "packagemanifests", "storageprofiles"}

// Kinds are all that can be listed, but for those that come and go by themselves.
func Kinds(d discovery.DiscoveryInterface) ([]schema.GroupVersionResource, error) {
	lists, err := discovery.ServerPreferredResources(d)
	if err != nil && !discovery.IsGroupDiscoveryFailedError(err) {
		return nil, err
	}
	var kinds []schema.GroupVersionResource
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, err
		}
		for _, r := range list.APIResources {
			if slices.Contains(r.Verbs, "list") && !slices.Contains(comesAndGoes, r.Name) {
				kinds = append(kinds, gv.WithResource(r.Name))
			}
		}
	}
	return kinds, nil
}

// DerivedByOLM reports whether OLM creates such an object for an installed operator, long after the installation:
// copies of its ClusterServiceVersion in every namespace, and roles for its kinds.
func DerivedByOLM(resource string, labels map[string]string) bool {
	_, copied := labels["olm.copiedFrom"]
	return copied || resource == "clusterroles" && labels["olm.managed"] == "true"
}

// everyKind returns a client and the kinds of a cluster.
func everyKind(cfg *rest.Config) (dynamic.Interface, []schema.GroupVersionResource, error) {
	d, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		return nil, nil, err
	}
	objects, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return nil, nil, err
	}
	kinds, err := Kinds(d)
	return objects, kinds, err
}

// OwnedByHcctl reports whether hcctl wrote some of the object's fields.
func OwnedByHcctl(fields []metav1.ManagedFieldsEntry) bool {
	return slices.ContainsFunc(fields, func(f metav1.ManagedFieldsEntry) bool { return f.Manager == "hcctl" })
}

// Written returns what hcctl has written on a cluster, by "resource.group namespace/name": each object that it owns
// fields of, with its current labels, spec and data, and with hcctl's fields. It leaves out identities and times; of
// random Secrets it returns only the lengths.
func Written(ctx context.Context, cfg *rest.Config) (map[string]string, error) {
	objects, kinds, err := everyKind(cfg)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, gvr := range kinds {
		list, err := objects.Resource(gvr).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", gvr.GroupResource(), err)
		}
		for i := range list.Items {
			u := &list.Items[i]
			if !OwnedByHcctl(u.GetManagedFields()) || DerivedByOLM(gvr.Resource, u.GetLabels()) {
				continue
			}
			text, err := told(u)
			if err != nil {
				return nil, err
			}
			out[fmt.Sprintf("%s %s/%s", gvr.GroupResource(), u.GetNamespace(), u.GetName())] = text
		}
	}
	return out, nil
}

// byChance are fields of a HostedCluster that its operator fills with what chance says.
var byChance = [][]string{{"spec", "clusterID"}, {"spec", "platform", "kubevirt", "generateID"}}

// operatorGroupUID begins the label that OLM gives the namespaces of an OperatorGroup: its identity follows.
const operatorGroupUID = "olm.operatorgroup.uid/"

func told(u *unstructured.Unstructured) (string, error) {
	if u.GetKind() == "HostedCluster" {
		for _, path := range byChance {
			unstructured.RemoveNestedField(u.Object, path...)
		}
	}
	labels := u.GetLabels()
	maps.DeleteFunc(labels, func(key, _ string) bool { return strings.HasPrefix(key, operatorGroupUID) })
	kept := map[string]any{"labels": labels}
	for key, value := range u.Object {
		switch key {
		case "apiVersion", "kind", "metadata", "status":
		default:
			kept[key] = value
		}
	}
	if data, ok := u.Object["data"].(map[string]any); ok && u.GetKind() == "Secret" &&
		strings.HasSuffix(u.GetName(), "-encryption-key") {
		lengths := map[string]int{}
		for key, value := range data {
			if text, ok := value.(string); ok {
				lengths[key] = len(text)
			}
		}
		kept["data"] = lengths
	}
	var owned []string
	for _, f := range u.GetManagedFields() {
		if f.Manager == "hcctl" && f.FieldsV1 != nil {
			owned = append(owned, string(f.Operation)+" "+f.FieldsV1.GetRawString())
		}
	}
	slices.Sort(owned)
	kept["hcctl's"] = owned
	data, err := json.MarshalIndent(kept, "", " ")
	return string(data), err
}

// Difference tells, a line each, what two of them do not have in common.
func Difference(before, after map[string]string) []string {
	var out []string
	for name, was := range before {
		switch is, there := after[name]; {
		case !there:
			out = append(out, "- "+name)
		case is != was:
			out = append(out, fmt.Sprintf("~ %s\n%s", name, cmp.Diff(was, is)))
		}
	}
	for name := range after {
		if _, there := before[name]; !there {
			out = append(out, "+ "+name)
		}
	}
	slices.Sort(out)
	return out
}

// Of returns the part of Written about one hosted cluster, with NAME in place of its name, so that clusters with
// different names can be compared.
func Of(written map[string]string, name string) map[string]string {
	out := map[string]string{}
	for object, text := range written {
		if strings.Contains(object, name) {
			out[strings.ReplaceAll(object, name, "NAME")] = strings.ReplaceAll(text, name, "NAME")
		}
	}
	return out
}
