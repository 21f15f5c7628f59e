package storage

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/removal"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// deviceSetLabel marks the claims of Ceph's disks.
const deviceSetLabel = "ceph.rook.io/DeviceSet"

// allData is the warning before storage is removed.
const allData = "(all data on it is lost)"

// claims blocks the removal of hcctl's storage while PersistentVolumeClaims that are not removed with it use its
// volumes.
type claims struct{}

// removeClaims is the step before all removals of storage.
const removeClaims step.ID = "uninstall/claims"

func (s claims) removal() prereq.Removal {
	return prereq.Removal{ID: removeClaims, Title: "claims on the storage",
		Needs: []step.ID{prereq.NoHostedClusters, prereq.RemoveHyperConverged, prereq.RemoveEngine}, Check: s.none,
		Apply: func(context.Context, *kube.Client) (step.Change, error) { return step.Unchanged, nil }}
}

// none succeeds once no claim uses any of hcctl's storage, so that no removal begins earlier.
func (s claims) none(ctx context.Context, r kube.Reader) step.Finding {
	found := step.OK("none").On("PersistentVolumeClaims")
	for _, o := range []removal.Object{storageCluster{}.object(), lvmCluster{}.object(), localRemoval{}.volume(),
		localRemoval{}.set(), hostPath{}.object()} {
		own, _, err := o.Find(ctx, r)
		if err != nil {
			return kube.Unknown(err).On("%ss", o.Kind.Kind)
		}
		if own == nil {
			continue
		}
		switch f := s.use(ctx, r, own); {
		case f == nil, found.State == step.StateBroken && f.State != step.StateBroken:
		case f.State == found.State:
			found.Message += "; " + f.Object + ": " + f.Message
		default:
			found = *f
		}
	}
	return found
}

// use returns a finding if something still uses an object that is to be removed, else nil.
func (s claims) use(ctx context.Context, r kube.Reader, u *unstructured.Unstructured) *step.Finding {
	used, unknown := s.read(ctx, r, u)
	if unknown != nil {
		return unknown
	}
	var f step.Finding
	switch {
	case len(used.claims) > 0:
		f = step.Broken("%s on it: %s", plural.Count(len(used.claims), "PersistentVolumeClaim"), fewOf(used.claims)).
			WithHint("save their data and delete them first: oc get pvc -A")
	case u.GetKind() == kube.StorageClass.Kind:
		return nil
	case u.GetKind() == kube.StorageCluster.Kind:
		return keptVolumes(ctx, r, u)
	case u.GetKind() == kube.HostPathProvisioner.Kind && len(used.volumes) > len(used.kept):
		f = step.Pending("volumes of it are being deleted, which nobody does once it is gone: PersistentVolume %s",
			fewOf(used.volumes))
	case len(used.kept) > 0:
		end := "its operator would wait for them"
		if u.GetKind() == kube.HostPathProvisioner.Kind {
			end = "nobody deletes them once it is gone"
		}
		f = step.Broken("volumes of it are kept without a claim (reclaim policy Retain), and %s: PersistentVolume %s", end,
			fewOf(used.kept)).WithHint("save their data, then: oc patch pv NAME -p " +
			`'{"spec":{"persistentVolumeReclaimPolicy":"Delete"}}'`)
	case len(used.left) > 0:
		f = step.Pending("%s of Data Foundation, which is gone, not gone yet: %s",
			plural.Count(len(used.left), "PersistentVolumeClaim"), fewOf(used.left))
	default:
		return nil
	}
	f = f.On("%s %s", u.GetKind(), kube.Name(u))
	return &f
}

// holds returns what blocks the deletion of an object: its users and its remaining volumes.
func (s claims) holds(ctx context.Context, r kube.Reader, u *unstructured.Unstructured) string {
	used, unknown := s.read(ctx, r, u)
	if unknown != nil || u.GetKind() == kube.HostPathProvisioner.Kind {
		return "" // the operator of a HostPathProvisioner waits for no volume
	}
	var words []string
	if u.GetKind() == kube.StorageCluster.Kind {
		words = append(words, heldByClient(ctx, r, u))
	}
	if all := slices.Concat(used.claims, used.left); len(all) > 0 {
		words = append(words, "it is used by PersistentVolumeClaim "+fewOf(all))
	}
	if len(used.volumes) > 0 && u.GetKind() != kube.StorageCluster.Kind {
		words = append(words, "its operator waits for PersistentVolume "+fewOf(used.volumes))
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), "; ")
}

// usage lists the users of an object by name.
type usage struct {
	// claims are not removed with the object; left belong to a Data Foundation that was removed.
	claims, left []string
	// volumes are the object's volumes; kept are those without a claim that the driver does not delete (Retain).
	volumes, kept []string
}

func (s claims) read(ctx context.Context, r kube.Reader, u *unstructured.Unstructured) (usage, *step.Finding) {
	var out usage
	classes, err := storageClasses(ctx, r)
	if err != nil {
		return out, unread(err, "StorageClasses")
	}
	volumes := &corev1.PersistentVolumeList{}
	if err := r.List(ctx, volumes); err != nil {
		return out, unread(err, "PersistentVolumes")
	}
	claims := &corev1.PersistentVolumeClaimList{}
	if err := r.List(ctx, claims); err != nil {
		return out, unread(err, "PersistentVolumeClaims")
	}
	foundations, err := storageClusters(ctx, r)
	if err != nil {
		return out, unread(err, "StorageClusters")
	}
	its, known := map[string]bool{}, map[string]bool{}
	for i := range volumes.Items {
		pv := &volumes.Items[i]
		known[pv.Name] = true
		if its[pv.Name] = isVolumeOf(u, pv); !its[pv.Name] {
			continue
		}
		out.volumes = append(out.volumes, describeVolume(pv))
		if pv.Status.Phase != corev1.VolumeBound &&
			pv.Spec.PersistentVolumeReclaimPolicy == corev1.PersistentVolumeReclaimRetain {
			out.kept = append(out.kept, pv.Name)
		}
	}
	for i := range claims.Items {
		pvc := &claims.Items[i]
		uses := its[pvc.Spec.VolumeName]
		if !known[pvc.Spec.VolumeName] && pvc.Spec.StorageClassName != nil {
			uses = slices.ContainsFunc(classes, func(c storagev1.StorageClass) bool {
				return c.Name == *pvc.Spec.StorageClassName && isClassOf(u, &c)
			})
		}
		at := slices.IndexFunc(foundations, func(sc unstructured.Unstructured) bool {
			return sc.GetNamespace() == pvc.Namespace
		})
		switch {
		case !uses, ofFoundation(pvc) && at >= 0 && removal.Owned(&foundations[at]):
		case ofFoundation(pvc) && at < 0:
			out.left = append(out.left, kube.Name(pvc))
		default:
			out.claims = append(out.claims, kube.Name(pvc))
		}
	}
	return out, nil
}

// isDriverOf reports whether a CSI driver belongs to the object. csi is false if the volumes of its kind have no CSI
// driver of their own.
func isDriverOf(u *unstructured.Unstructured, driver string) (matches, csi bool) {
	switch u.GetKind() {
	case kube.StorageCluster.Kind:
		return cephDriver(driver, u.GetNamespace()), true
	case kube.LVMCluster.Kind:
		return driver == lvmDriver, true
	case kube.HostPathProvisioner.Kind:
		return driver == hostPathDriver, true
	}
	return false, false
}

// isVolumeOf reports whether the object provides the volume.
func isVolumeOf(u *unstructured.Unstructured, pv *corev1.PersistentVolume) bool {
	if matches, csi := isDriverOf(u, ptr.Deref(pv.Spec.CSI, corev1.CSIPersistentVolumeSource{}).Driver); csi {
		return matches
	}
	if u.GetKind() == kube.StorageClass.Kind {
		return pv.Spec.StorageClassName == u.GetName()
	}
	return pv.Labels[localOwnerKindLabel] == u.GetKind() && pv.Labels[localOwnerLabel] == u.GetName() &&
		pv.Labels[localOwnerNamespaceLabel] == u.GetNamespace()
}

// isClassOf reports whether the object makes the volumes of the class.
func isClassOf(u *unstructured.Unstructured, class *storagev1.StorageClass) bool {
	if matches, csi := isDriverOf(u, class.Provisioner); csi {
		return matches
	}
	if u.GetKind() == kube.StorageClass.Kind {
		return class.Name == u.GetName()
	}
	sources := append(sourcesOfSets([]unstructured.Unstructured{*u}), sourcesOfVolumes([]unstructured.Unstructured{*u})...)
	return class.Provisioner == noProvisioner &&
		slices.ContainsFunc(sources, func(s diskSource) bool { return s.class == class.Name })
}

// ofFoundation reports whether Data Foundation made a claim for itself: for its disks, or for the database and the
// stores of its Multicloud Object Gateway.
func ofFoundation(pvc *corev1.PersistentVolumeClaim) bool {
	_, disk := pvc.Labels[deviceSetLabel]
	return disk || pvc.Labels["app"] == "noobaa" ||
		slices.ContainsFunc(pvc.OwnerReferences, func(o metav1.OwnerReference) bool {
			group, _, _ := strings.Cut(o.APIVersion, "/")
			return group == kube.CephCluster.Group || strings.HasSuffix(group, "noobaa.io")
		})
}

// describeVolume returns the name of a volume, its phase, and the finalizers if it is being deleted.
func describeVolume(pv *corev1.PersistentVolume) string {
	words := pv.Name + " (" + string(pv.Status.Phase)
	if pv.DeletionTimestamp != nil {
		words += ", being deleted; finalizers: " + strings.Join(pv.Finalizers, ", ")
	}
	return words + ")"
}

// localRemoval removes hcctl's objects of the Local Storage Operator in the reverse order: the LocalVolume (its
// operator waits until none of its volumes is claimed) or the LocalVolumeSet of an earlier hcctl, the
// LocalVolumeDiscovery, and the labels of the storage nodes. The links in /mnt/local-storage of the nodes stay, as
// after a removal by hand.
type localRemoval struct{}

func (s localRemoval) set() removal.Object { return guarded(kube.LocalVolumeSet, localClass) }

func (s localRemoval) volume() removal.Object { return guarded(kube.LocalVolume, localClass) }

// guarded returns the removal of an object whose volumes may be in use.
func guarded(kind kube.Kind, name string) removal.Object {
	return removal.Object{Kind: kind, Name: name, Blocked: claims{}.use, Holds: claims{}.holds, Loss: allData}
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

// labelled returns the nodes whose storage label hcctl set.
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
