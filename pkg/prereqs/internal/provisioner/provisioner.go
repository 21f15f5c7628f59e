package provisioner

import (
	"context"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// csiParameter is the prefix of parameters that only provisioners of CSI drivers read.
const csiParameter = "csi.storage.k8s.io/"

// csiSuffixes are suffixes of the names of known CSI drivers: those of Ceph, of LVM Storage, and of the hostpath
// provisioner.
var csiSuffixes = []string{".csi.ceph.com", "topolvm.io", "kubevirt.io.hostpath-provisioner"}

// Dead returns why no provisioner makes volumes of the class, or nil if one may. Every working CSI driver is registered
// in the CSINode of its nodes. Other provisioners, such as those of NFS, have no such object.
func Dead(ctx context.Context, r kube.Reader, class *storagev1.StorageClass) (*step.Finding, error) {
	if len(validation.IsDNS1123Subdomain(class.Provisioner)) > 0 {
		return nil, nil // not the name of a CSI driver
	}
	on, all, err := registered(ctx, r, class.Provisioner)
	if err != nil || all == 0 || on > 0 {
		return nil, err
	}
	err = r.Get(ctx, types.NamespacedName{Name: class.Provisioner}, &storagev1.CSIDriver{})
	object := "StorageClass " + class.Name
	switch {
	case client.IgnoreNotFound(err) != nil:
		return nil, err
	case err == nil:
		f := step.Pending("it makes no volumes: CSI driver %s runs on none of %d nodes", class.Provisioner, all).
			On("%s", object).WithTrouble().
			WithHint("oc get csinode; see why its pods do not run, or choose another class")
		return &f, nil
	case !isCSI(class):
		return nil, nil
	}
	f := step.Broken("it makes no volumes: there is no CSIDriver %s, and none of %d nodes runs that driver",
		class.Provisioner, all).On("%s", object).
		WithHint("oc get csidriver,csinode; install the driver again, or choose another class")
	return &f, nil
}

// isCSI reports whether the provisioner must be a CSI driver.
func isCSI(class *storagev1.StorageClass) bool {
	for key := range class.Parameters {
		if strings.HasPrefix(key, csiParameter) {
			return true
		}
	}
	return slices.ContainsFunc(csiSuffixes, func(end string) bool { return strings.HasSuffix(class.Provisioner, end) })
}

// registered returns the number of nodes that run a CSI driver, and the number of all nodes with a CSINode.
func registered(ctx context.Context, r kube.Reader, driver string) (on, all int, err error) {
	nodes := &storagev1.CSINodeList{}
	if err := r.List(ctx, nodes); err != nil {
		return 0, 0, err
	}
	for i := range nodes.Items {
		if slices.ContainsFunc(nodes.Items[i].Spec.Drivers,
			func(d storagev1.CSINodeDriver) bool { return d.Name == driver }) {
			on++
		}
	}
	return on, len(nodes.Items), nil
}

// proofAge is how long a bound claim proves that a provisioner makes volumes of its class.
const proofAge = 24 * time.Hour

// maxWait is how long a claim may wait for its volume before it is reported.
const maxWait = 10 * time.Minute

// Judge reports what is known about the provisioner of a class that is not dead: from the nodes that run its driver,
// and from the claims that are bound or wait.
func Judge(ctx context.Context, r kube.Reader, class *storagev1.StorageClass, claims Claims) (step.Finding, error) {
	on, all, err := registered(ctx, r, class.Provisioner)
	if err != nil {
		return step.Finding{}, err
	}
	newest, waits := claims[class.Name].newest, claims[class.Name].waits
	object := "StorageClass " + class.Name
	switch {
	case waits != nil:
		f := step.Missing("claim %s has waited for its volume since %s", kube.Name(waits),
			waits.CreationTimestamp.UTC().Format(time.RFC3339)).On("%s", object).
			WithHint("its event %s says why, if the provisioner is there: oc describe pvc %s -n %s", provisioningFailed,
				waits.Name, waits.Namespace)
		return f, nil
	case on > 0:
		return step.OK("CSI driver %s runs on %d of %d nodes", class.Provisioner, on, all).On("%s", object), nil
	case newest != nil && r.Now().Sub(newest.CreationTimestamp.Time) < proofAge:
		return step.OK("claim %s, made at %s, has got its volume", kube.Name(newest),
			newest.CreationTimestamp.UTC().Format(time.RFC3339)).On("%s", object), nil
	case newest != nil:
		return step.Unknown("whether its provisioner %s still runs is not known: the newest claim that has a volume of it, "+
			"%s, was made at %s", class.Provisioner, kube.Name(newest),
			newest.CreationTimestamp.UTC().Format(time.RFC3339)).On("%s", object).
			WithHint("try it with a claim of that class: oc describe pvc NAME shows what becomes of it"), nil
	}
	return step.Unknown("whether anything provisions volumes of it is not known: no node has a CSI driver %s, and no "+
		"claim "+
		"has a volume of it", class.Provisioner).On("%s", object).
		WithHint("try it with a claim of that class: oc describe pvc NAME shows what becomes of it"), nil
}

// Claims maps class names to what their claims show.
type Claims map[string]evidence

// evidence is the newest bound claim of a class, and one that has waited for longer than maxWait.
type evidence struct{ newest, waits *corev1.PersistentVolumeClaim }

// ClaimsOf reads all claims once for all classes: there may be thousands.
func ClaimsOf(ctx context.Context, r kube.Reader, classes []storagev1.StorageClass) (Claims, error) {
	byName := map[string]*storagev1.StorageClass{}
	for i := range classes {
		byName[classes[i].Name] = &classes[i]
	}
	out := Claims{}
	list := &corev1.PersistentVolumeClaimList{}
	err := r.ListPages(ctx, list, func() {
		for i := range list.Items {
			claim := &list.Items[i]
			if claim.Spec.StorageClassName == nil || byName[*claim.Spec.StorageClassName] == nil {
				continue
			}
			class := byName[*claim.Spec.StorageClassName]
			e := out[class.Name]
			switch {
			case claim.Status.Phase == corev1.ClaimBound:
				if e.newest == nil || e.newest.CreationTimestamp.Before(&claim.CreationTimestamp) {
					e.newest = claim.DeepCopy()
				}
			case e.waits == nil && isStuck(claim, class, r.Now()):
				e.waits = claim.DeepCopy()
			}
			out[class.Name] = e
		}
	})
	return out, err
}

// provisioningFailed is the reason of the event in which a provisioner reports why it makes no volume.
const provisioningFailed = "ProvisioningFailed"

// selectedNode is the annotation that the scheduler sets on a claim to request its volume, in mode
// WaitForFirstConsumer.
const selectedNode = "volume.kubernetes.io/selected-node"

// isStuck reports whether the claim waits for its provisioner, not for a pod or a copy of data.
func isStuck(claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass, now time.Time) bool {
	mode := class.VolumeBindingMode
	waitsForPod := mode != nil && *mode == storagev1.VolumeBindingWaitForFirstConsumer
	return claim.Status.Phase == corev1.ClaimPending && claim.DeletionTimestamp == nil && claim.Spec.VolumeName == "" &&
		claim.Spec.Selector == nil && claim.Spec.DataSource == nil && claim.Spec.DataSourceRef == nil &&
		(!waitsForPod || claim.Annotations[selectedNode] != "") && now.Sub(claim.CreationTimestamp.Time) >= maxWait
}

// RightsDead returns the rights of Dead.
func RightsDead() []access.Rule {
	return []access.Rule{
		{Verbs: "list", Resources: "csinodes.storage.k8s.io", Why: "where volumes come from"},
		{Verbs: "get", Resources: "csidrivers.storage.k8s.io", Why: "whether the driver of a StorageClass is installed"},
	}
}

// Rights returns the rights of Judge beyond those of Dead.
func Rights() []access.Rule {
	return []access.Rule{{Verbs: "list", Resources: "persistentvolumeclaims", Unwatched: true,
		Why: "which claims wait for a volume"}}
}
