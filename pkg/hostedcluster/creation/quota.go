package creation

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster/placement"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/fit"
)

// withinQuotas says which ResourceQuota of the control plane's namespace has too little left for the pods and objects
// that are to come: worker VMs with their volumes, and a new control plane that takes over a namespace. Any other new
// cluster has none yet. Quotas with scopes are left out: they are about some pods only.
func (d *demand) withinQuotas(ctx context.Context, r kube.Reader, launchers []placement.Launcher,
	usage *fit.Usage) (placement.Count, error) {
	namespace := cmp.Or(d.inside, d.adopts)
	if namespace == "" || usage == nil {
		return placement.Count{}, nil
	}
	more, vms := fit.Resources{}, 0
	for i, pool := range d.pools {
		there := usage.Launchers[types.NamespacedName{Namespace: namespace, Name: pool.Name}]
		if n := pool.Sure - there; n > 0 {
			more.Add(launchers[i].Requests, int64(n))
			more.Add(objectsOf(pool.NodePool), int64(n))
			vms += n
		}
	}
	whose := plural.Count(vms, "worker VM") + " more need"
	if _, runs := usage.Namespaces[namespace]; d.inside == "" && d.plane != nil && !runs {
		more.Add(d.plane.Requests, int64(d.plane.copies))
		more.Add(fit.Resources{claims: 1}, int64(d.plane.copies))
		more.Add(planeObjects(), 1)
		whose = "the control plane and " + plural.Count(vms, "worker VM") + " need"
	} else if vms == 0 {
		return placement.Count{}, nil
	}
	var quotas corev1.ResourceQuotaList
	if err := r.List(ctx, &quotas, client.InNamespace(namespace)); err != nil {
		if kube.IsNotPermitted(err) || kube.IsKindMissing(err) {
			return placement.Count{}, nil // the API server decides
		}
		return placement.Count{}, fmt.Errorf("ResourceQuotas in namespace %s: %w", namespace, err)
	}
	for i := range quotas.Items {
		q := &quotas.Items[i]
		if len(q.Spec.Scopes) > 0 || q.Spec.ScopeSelector != nil {
			continue
		}
		for _, name := range fit.Of(q.Spec.Hard).Names() {
			of := limited(name)
			hard, used := fit.Number(of, q.Spec.Hard[name]), fit.Number(of, q.Status.Used[name])
			if need := more[of]; of != "" && need > hard-used {
				return placement.Count{Full: true, Next: hint.New("oc describe resourcequota %s -n %s", q.Name, q.Namespace),
					Impossible: fmt.Sprintf("ResourceQuota %s leaves %s of %s, and %s %s", kube.Name(q),
						fit.Amount(of, max(hard-used, 0)), fit.Bare(of, hard), whose, fit.Amount(of, need))}, nil
			}
		}
	}
	return placement.Count{}, nil
}

// The objects that quotas count, as their names are after "count/".
const (
	claims         = corev1.ResourcePersistentVolumeClaims
	virtualMachine = corev1.ResourceName("virtualmachines.kubevirt.io")
)

// objectsOf are the objects that a worker VM has in its namespace: its root volume is a claim (nodepool kubevirt,
// virtualMachineTemplateBase; 32Gi is the CRD's default).
func objectsOf(np *hyperv1.NodePool) fit.Resources {
	size := int64(32) << 30
	if kv := np.Spec.Platform.Kubevirt; kv != nil && kv.RootVolume != nil && kv.RootVolume.Persistent != nil &&
		kv.RootVolume.Persistent.Size != nil {
		size = kv.RootVolume.Persistent.Size.Value()
	}
	return fit.Resources{claims: 1, virtualMachine: 1, corev1.ResourceStorage: size}
}

// planeObjects are fewer objects than any control plane on KubeVirt has: control-plane-operator 4.14 to 5.1 has names
// for 67 to 82 Secrets, 30 to 45 ConfigMaps and 24 to 31 Services, some of which are of other platforms.
func planeObjects() fit.Resources {
	return fit.Resources{corev1.ResourceSecrets: 40, corev1.ResourceConfigMaps: 20, corev1.ResourceServices: 10}
}

// limited is the resource that a name in a quota is about; empty if neither pods nor
// objects that are counted take of it.
func limited(name corev1.ResourceName) corev1.ResourceName {
	switch name {
	case corev1.ResourcePods, "count/pods":
		return corev1.ResourcePods
	case corev1.ResourceCPU, corev1.ResourceMemory:
		return name
	}
	counted := corev1.ResourceName(strings.TrimPrefix(string(name), "count/"))
	switch counted {
	case claims, corev1.ResourceSecrets, corev1.ResourceConfigMaps, corev1.ResourceServices:
		return counted
	case virtualMachine:
		if counted != name {
			return counted
		}
	}
	of, requests := strings.CutPrefix(string(name), corev1.DefaultResourceRequestsPrefix)
	if !requests {
		return ""
	}
	return corev1.ResourceName(of)
}
