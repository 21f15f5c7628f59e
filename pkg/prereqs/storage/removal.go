package storage

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/removal"
	"github.com/hcctl/hcctl/pkg/step"
)

// allData is what a person has to know of the removal of storage.
const allData = "(all data on it is lost)"

// claims keeps storage as long as PersistentVolumeClaims use it.
type claims struct{}

func (s claims) ofStorageCluster(ctx context.Context, r kube.Reader, sc *unstructured.Unstructured) *step.Finding {
	if f := s.check(ctx, r, sc, func(class *storagev1.StorageClass) bool {
		return strings.HasSuffix(class.Provisioner,
			".csi.ceph.com")
	}); f != nil {
		return f
	}
	return keptVolumes(ctx, r, sc)
}

func (s claims) ofLVM(ctx context.Context, r kube.Reader, lvm *unstructured.Unstructured) *step.Finding {
	return s.check(ctx, r, lvm, func(class *storagev1.StorageClass) bool { return class.Provisioner == "topolvm.io" })
}

// check finds claims of the classes outside of the storage's own namespace.
func (s claims) check(ctx context.Context, r kube.Reader, u *unstructured.Unstructured,
	its func(*storagev1.StorageClass) bool) *step.Finding {
	classes := &storagev1.StorageClassList{}
	if err := r.List(ctx, classes); err != nil {
		f := kube.Unknown(err).On("StorageClasses")
		return &f
	}
	var own []string
	for i := range classes.Items {
		if its(&classes.Items[i]) {
			own = append(own, classes.Items[i].Name)
		}
	}
	list := &corev1.PersistentVolumeClaimList{}
	if err := r.List(ctx, list); err != nil {
		f := kube.Unknown(err).On("PersistentVolumeClaims")
		return &f
	}
	var claimed []string
	for i := range list.Items {
		pvc := &list.Items[i]
		if pvc.Namespace != u.GetNamespace() && pvc.Spec.StorageClassName != nil &&
			slices.Contains(own, *pvc.Spec.StorageClassName) {
			claimed = append(claimed, kube.Name(pvc))
		}
	}
	if len(claimed) == 0 {
		return nil
	}
	const handful = 5
	count := len(claimed)
	if count > handful {
		claimed = append(claimed[:handful], "...")
	}
	f := step.Broken("%s on it: %s", plural.Count(count, "PersistentVolumeClaim"), strings.Join(claimed, ", ")).
		On("%s %s", u.GetKind(), kube.Name(u)).
		WithHint("save their data and delete them first: oc get pvc -A")
	return &f
}

// localRemoval removes hcctl's objects of the Local Storage Operator in the reverse order: the LocalVolume (its
// operator waits until no volume of it is claimed), or the LocalVolumeSet of an earlier hcctl; the
// LocalVolumeDiscovery; and the label of the storage nodes. The links in /mnt/local-storage of the nodes stay, as
// after a removal by hand.
type localRemoval struct{}

func (s localRemoval) set() removal.Object {
	return removal.Object{Kind: kube.LocalVolumeSet, Name: localClass, Loss: allData}
}

func (s localRemoval) volume() removal.Object {
	return removal.Object{Kind: kube.LocalVolume, Name: localClass, Loss: allData}
}

func (s localRemoval) discovery() removal.Object {
	return removal.Object{Kind: kube.LocalVolumeDiscovery, Name: discoveryName}
}

func (s localRemoval) check(ctx context.Context, reader kube.Reader) step.Finding {
	for _, r := range []removal.Object{s.volume(), s.set(), s.discovery()} {
		own, foreign, err := r.Find(ctx, reader)
		if err != nil {
			return kube.Unknown(err).On("%ss", r.Kind.Kind)
		}
		if own != nil {
			return r.Judge(ctx, reader, own, foreign)
		}
	}
	nodes, err := s.labelled(ctx, reader)
	switch {
	case err != nil:
		return kube.Unknown(err).On("Nodes")
	case len(nodes) > 0:
		return step.Missing("hcctl set its label %s", storageLabel).On("Node %s", nodes[0].Name)
	}
	return s.volume().Check(ctx, reader)
}

func (s localRemoval) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	for _, r := range []removal.Object{s.volume(), s.set(), s.discovery()} {
		own, _, err := r.Find(ctx, c)
		if err != nil {
			return "", err
		}
		if own != nil {
			return r.Apply(ctx, c)
		}
	}
	nodes, err := s.labelled(ctx, c)
	if err != nil {
		return "", err
	}
	change := step.Unchanged
	for i := range nodes {
		done, err := prereq.MergePatch(ctx, c, &nodes[i], fmt.Sprintf(`{"metadata":{"labels":{%q:null}}}`, storageLabel))
		if err != nil {
			return change, err
		}
		change = step.Join(change, done)
	}
	return change, nil
}

// labelled are the nodes whose storage label hcctl set.
func (s localRemoval) labelled(ctx context.Context, r kube.Reader) ([]corev1.Node, error) {
	list := &corev1.NodeList{}
	if err := r.List(ctx, list); err != nil {
		return nil, err
	}
	var out []corev1.Node
	for i := range list.Items {
		n := &list.Items[i]
		if _, ok := n.Labels[storageLabel]; ok && removal.SetByHcctl(n, "f:metadata", "f:labels", "f:"+storageLabel) {
			out = append(out, *n)
		}
	}
	return out, nil
}
