package sites

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	workv1 "open-cluster-management.io/api/work/v1"

	"github.com/hcctl/hcctl/pkg/fleet/hub"
	"github.com/hcctl/hcctl/pkg/kube"
)

// Names of the ManifestWorks in a site's namespace. AlikeName is for the objects of every site, and also the
// name of their ManifestWorkReplicaSet; OwnName is for the objects that depend on the site.
const (
	AlikeName = "hcctl-prerequisites"
	OwnName   = "hcctl-prerequisites-own"
)

// spec returns the spec of a ManifestWork with the objects.
func spec(m meta.RESTMapper, objects []Object) (workv1.ManifestWorkSpec, error) {
	out := workv1.ManifestWorkSpec{
		DeleteOption: &workv1.DeleteOption{PropagationPolicy: workv1.DeletePropagationPolicyTypeOrphan},
	}
	size := 0
	for _, o := range objects {
		u := o.DeepCopy()
		withoutSync(u)
		if !o.Part {
			// By this label hcctl uninstall at the site removes objects that are no longer delivered.
			labels := u.GetLabels()
			if labels == nil {
				labels = map[string]string{}
			}
			labels[kube.ManagedByLabel] = kube.FieldOwner
			u.SetLabels(labels)
		}
		raw, err := json.Marshal(u.Object)
		if err != nil {
			return out, fmt.Errorf("%s: %w", o, err)
		}
		size += len(raw) + hub.ManifestBytes
		out.Workload.Manifests = append(out.Workload.Manifests, workv1.Manifest{RawExtension: runtime.RawExtension{Raw: raw}})
		config := workv1.ManifestConfigOption{
			ResourceIdentifier: workv1.ResourceIdentifier{Group: u.GroupVersionKind().Group,
				Resource: plural(m, u.GroupVersionKind()), Namespace: u.GetNamespace(), Name: u.GetName()},
			UpdateStrategy: &workv1.UpdateStrategy{Type: workv1.UpdateStrategyTypeServerSideApply},
		}
		if values := valuesOf(u.GroupVersionKind().GroupKind()); len(values) > 0 {
			rule := workv1.FeedbackRule{Type: workv1.JSONPathsType}
			for _, v := range values {
				rule.JsonPaths = append(rule.JsonPaths, workv1.JsonPath{Name: v.name, Path: v.path})
			}
			config.FeedbackRules = []workv1.FeedbackRule{rule}
		}
		out.ManifestConfigs = append(out.ManifestConfigs, config)
	}
	if size > hub.MaxBytes {
		return out, &hub.TooLargeError{Name: AlikeName, Bytes: size}
	}
	return out, nil
}

// withoutSync removes annotations that are only for Argo CD.
func withoutSync(u *unstructured.Unstructured) {
	annotations := u.GetAnnotations()
	maps.DeleteFunc(annotations, func(key, _ string) bool { return strings.HasPrefix(key, "argocd.argoproj.io/sync-") })
	if u.SetAnnotations(annotations); len(annotations) == 0 {
		unstructured.RemoveNestedField(u.Object, "metadata", "annotations")
	}
}

// plural returns the resource of a kind. For a kind that hcctl does not know it follows the usual rule.
func plural(m meta.RESTMapper, gvk schema.GroupVersionKind) string {
	if mapping, err := m.RESTMapping(gvk.GroupKind(), gvk.Version); err == nil {
		return mapping.Resource.Resource
	}
	guess, _ := meta.UnsafeGuessKindToResource(gvk)
	return guess.Resource
}

// ownWork returns the ManifestWork of the objects that depend on a site.
func ownWork(m meta.RESTMapper, site string, objects []Object) (*workv1.ManifestWork, error) {
	s, err := spec(m, objects)
	return &workv1.ManifestWork{
		TypeMeta:   metav1.TypeMeta{APIVersion: workv1.GroupVersion.String(), Kind: kube.ManifestWork.Kind},
		ObjectMeta: metav1.ObjectMeta{Namespace: site, Name: OwnName},
		Spec:       s,
	}, err
}

// replicaSet returns the ManifestWorkReplicaSet of the objects for every site of the Placement.
func replicaSet(m meta.RESTMapper, placement types.NamespacedName, objects []Object) (*unstructured.Unstructured,
	error) {
	s, err := spec(m, objects)
	if err != nil {
		return nil, err
	}
	template, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&s)
	if err != nil {
		return nil, err
	}
	u := kube.ManifestWorkReplicaSet.New()
	u.SetNamespace(placement.Namespace)
	u.SetName(AlikeName)
	u.Object["spec"] = map[string]any{
		"manifestWorkTemplate": template,
		"placementRefs":        []any{map[string]any{"name": placement.Name}},
	}
	return u, nil
}

// templateOf returns the spec in a ManifestWorkReplicaSet, and its Placements.
func templateOf(u *unstructured.Unstructured) (s workv1.ManifestWorkSpec, placements []string, err error) {
	raw, err := json.Marshal(u.Object["spec"])
	if err != nil {
		return s, nil, err
	}
	var content struct {
		ManifestWorkTemplate workv1.ManifestWorkSpec
		PlacementRefs        []struct{ Name string }
	}
	if err := json.Unmarshal(raw, &content); err != nil {
		return s, nil, fmt.Errorf("ManifestWorkReplicaSet %s: %w", kube.Name(u), err)
	}
	for _, ref := range content.PlacementRefs {
		placements = append(placements, ref.Name)
	}
	return content.ManifestWorkTemplate, placements, nil
}

// orphans reports whether the delivered objects stay when a ManifestWork is deleted.
func orphans(s workv1.ManifestWorkSpec) bool {
	return s.DeleteOption != nil && s.DeleteOption.PropagationPolicy == workv1.DeletePropagationPolicyTypeOrphan
}

// leaves is orphans for a ManifestWork or a ManifestWorkReplicaSet as it was read. It returns false if the spec
// is malformed.
func leaves(u *unstructured.Unstructured) bool {
	if u.GetKind() == kube.ManifestWorkReplicaSet.Kind {
		template, _, err := templateOf(u)
		return err == nil && orphans(template)
	}
	var w workv1.ManifestWork
	err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &w)
	return err == nil && orphans(w.Spec)
}
