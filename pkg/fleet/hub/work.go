package hub

import (
	"encoding/json"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	workv1 "open-cluster-management.io/api/work/v1"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

const hypershiftGroup = "hypershift.openshift.io"

// MaxBytes is the maximum size of the manifests of one ManifestWork: the work webhook of Open Cluster Management
// refuses more (500 KiB, module open-cluster-management.io/ocm, pkg/work/webhook). ManifestBytes is what each
// manifest adds to that count.
const (
	MaxBytes      = 500 * 1024
	ManifestBytes = 16
)

// TooLargeError means that the objects of a hosted cluster do not fit into a ManifestWork.
type TooLargeError struct {
	Name  string
	Bytes int
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("ManifestWork %s would have %d KiB of manifests; Open Cluster Management takes %d KiB", e.Name,
		e.Bytes/1024, MaxBytes/1024)
}

// Hint returns what may be too large.
func (*TooLargeError) Hint() hint.Text {
	return hint.New("the files of %s and of node pools' configurations are in it: bring large ones to the site by "+
		"other means", hint.Flag("manifests"))
}

// newWork returns the ManifestWork with the objects of a hosted cluster, for a site. It refuses Secrets, which
// have a separate ManifestWork; its error may be *TooLargeError. Fields with their default value are left out,
// because an older HyperShift at the site may not have them.
func newWork(site string, c fleet.ClusterName, labels map[string]string,
	all []*unstructured.Unstructured) (*workv1.ManifestWork, error) {
	all = slices.Clone(all)
	w := emptyWork(site, WorkName(c), c, labels)
	orphans := &workv1.SelectivelyOrphan{}
	for i, u := range all {
		if isSecret(u) {
			return nil, fmt.Errorf("%s: a Secret has no place in ManifestWork %s", kube.Name(u), w.Name)
		}
		id := workv1.ResourceIdentifier{Group: u.GroupVersionKind().Group, Name: u.GetName(), Namespace: u.GetNamespace()}
		config := workv1.ManifestConfigOption{ResourceIdentifier: id}
		switch u.GroupVersionKind().GroupKind() {
		case kube.HostedCluster.GroupKind():
			all[i] = objects.WithoutDefaults(u)
			config.ResourceIdentifier.Resource = kube.HostedCluster.Plural
			config.FeedbackRules, config.UpdateStrategy = rules(clusterValues()), sharedFields()
		case kube.NodePool.GroupKind():
			all[i] = objects.WithoutDefaults(u)
			config.ResourceIdentifier.Resource = kube.NodePool.Plural
			config.FeedbackRules, config.UpdateStrategy = rules(poolValues()), sharedFields()
		case namespaceKind.GroupKind():
			// The namespace may have objects of others, so it stays when the hosted cluster is deleted.
			config.ResourceIdentifier.Resource = namespaceKind.Plural
			config.UpdateStrategy = &workv1.UpdateStrategy{Type: workv1.UpdateStrategyTypeCreateOnly}
			orphans.OrphaningRules = append(orphans.OrphaningRules, workv1.OrphaningRule(config.ResourceIdentifier))
		default:
			continue
		}
		w.Spec.ManifestConfigs = append(w.Spec.ManifestConfigs, config)
	}
	w.Spec.DeleteOption = &workv1.DeleteOption{PropagationPolicy: workv1.DeletePropagationPolicyTypeForeground}
	if len(orphans.OrphaningRules) > 0 {
		w.Spec.DeleteOption = &workv1.DeleteOption{
			PropagationPolicy: workv1.DeletePropagationPolicyTypeSelectivelyOrphan, SelectivelyOrphan: orphans}
	}
	return w, fill(w, all)
}

// newSecrets returns the ManifestWork with the Secrets of a hosted cluster. It has no feedback rules, so nothing
// of them is reported. The agent writes each Secret once, so that a key is never replaced.
func newSecrets(site string, c fleet.ClusterName, objects []*unstructured.Unstructured) (*workv1.ManifestWork, error) {
	w := emptyWork(site, SecretsName(c), c, nil)
	namespace := workv1.ResourceIdentifier{Resource: namespaceKind.Plural, Name: c.Namespace}
	for _, u := range objects {
		id := workv1.ResourceIdentifier{Resource: "secrets", Name: u.GetName(), Namespace: u.GetNamespace()}
		if u.GetKind() == namespaceKind.Kind {
			id = namespace
		}
		w.Spec.ManifestConfigs = append(w.Spec.ManifestConfigs, workv1.ManifestConfigOption{ResourceIdentifier: id,
			UpdateStrategy: &workv1.UpdateStrategy{Type: workv1.UpdateStrategyTypeCreateOnly}})
	}
	w.Spec.DeleteOption = &workv1.DeleteOption{PropagationPolicy: workv1.DeletePropagationPolicyTypeSelectivelyOrphan,
		SelectivelyOrphan: &workv1.SelectivelyOrphan{OrphaningRules: []workv1.OrphaningRule{
			workv1.OrphaningRule(namespace)}}}
	return w, fill(w, objects)
}

// sharedFields makes the agent write only the fields of the manifest, so that fields that HyperShift sets stay.
func sharedFields() *workv1.UpdateStrategy {
	return &workv1.UpdateStrategy{Type: workv1.UpdateStrategyTypeServerSideApply}
}

func emptyWork(site, name string, c fleet.ClusterName, labels map[string]string) *workv1.ManifestWork {
	return &workv1.ManifestWork{
		TypeMeta: metav1.TypeMeta{APIVersion: workv1.GroupVersion.String(), Kind: kube.ManifestWork.Kind},
		ObjectMeta: metav1.ObjectMeta{Namespace: site, Name: name, Labels: labels,
			Annotations: map[string]string{hostedcluster.ClusterAnnotation: c.Namespace + "/" + c.Name}},
	}
}

// fill writes the objects into a ManifestWork.
func fill(w *workv1.ManifestWork, objects []*unstructured.Unstructured) error {
	size := 0
	for _, u := range objects {
		raw, err := json.Marshal(u.Object)
		if err != nil {
			return fmt.Errorf("%s %s: %w", u.GetKind(), kube.Name(u), err)
		}
		size += len(raw) + ManifestBytes
		w.Spec.Workload.Manifests = append(w.Spec.Workload.Manifests,
			workv1.Manifest{RawExtension: runtime.RawExtension{Raw: raw}})
	}
	if size > MaxBytes {
		return &TooLargeError{w.Namespace + "/" + w.Name, size}
	}
	return nil
}

// unusable returns the finding for a ManifestWork that cannot be used. A retry does not help.
func unusable(err error) step.Finding {
	f := step.Broken("%v", err)
	f.Hint = failure.Hint(err)
	return f
}

// manifests returns the objects in a ManifestWork. It returns an error if a manifest is not an object.
func manifests(w *workv1.ManifestWork) ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	for i, m := range w.Spec.Workload.Manifests {
		u := &unstructured.Unstructured{}
		// This decoder keeps integers as integers.
		if err := utiljson.Unmarshal(m.Raw, &u.Object); err != nil || u.GetKind() == "" {
			return nil, failure.New(failure.Other, hint.New("oc -n %s get manifestwork %s -o yaml shows it: take that manifest "+
				"out of spec.workload.manifests, and apply the cluster's file again", w.Namespace, w.Name),
				"ManifestWork %s/%s: manifest %d is not an object of Kubernetes", w.Namespace, w.Name, i)
		}
		all = append(all, u)
	}
	return all, nil
}

// plain returns the objects without the fields that only a server sets.
func plain(objects []client.Object) ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	for _, o := range objects {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", kube.Name(o), err)
		}
		u := &unstructured.Unstructured{Object: content}
		delete(u.Object, "status")
		unstructured.RemoveNestedField(u.Object, "metadata", "creationTimestamp")
		if u.GetKind() == namespaceKind.Kind {
			delete(u.Object, "spec")
		}
		// HyperShift sets the base domain of a cluster that has none. An empty one in the manifest would
		// conflict with it in the agent's next server-side apply.
		if domain := kube.Text(u, "spec", "dns", "baseDomain"); u.GetKind() == kube.HostedCluster.Kind && domain == "" {
			unstructured.RemoveNestedField(u.Object, "spec", "dns")
		}
		all = append(all, u)
	}
	return all, nil
}

func isSecret(u *unstructured.Unstructured) bool {
	gvk := u.GroupVersionKind()
	return gvk.Kind == "Secret" && gvk.Group == ""
}

var namespaceKind = kube.Namespace
