package creation

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster/placement"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/fit"
)

// withinQuotas says which ResourceQuota of the control plane's namespace has too little left for the pods that are to
// come: worker VMs, and a new control plane that takes over a namespace. Any other new cluster has none yet. Quotas
// with scopes are left out: they are about some pods only.
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
			vms += n
		}
	}
	whose := plural.Count(vms, "worker VM") + " more need"
	if _, runs := usage.Namespaces[namespace]; d.inside == "" && d.plane != nil && !runs {
		more.Add(d.plane.Requests, int64(d.plane.copies))
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

// limited is the resource that a name in a quota is about; empty if pods do not request it.
func limited(name corev1.ResourceName) corev1.ResourceName {
	switch name {
	case corev1.ResourcePods, "count/pods":
		return corev1.ResourcePods
	case corev1.ResourceCPU, corev1.ResourceMemory:
		return name
	}
	of, requests := strings.CutPrefix(string(name), corev1.DefaultResourceRequestsPrefix)
	if !requests {
		return ""
	}
	return corev1.ResourceName(of)
}
