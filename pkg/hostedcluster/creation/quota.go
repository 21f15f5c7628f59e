package creation

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/placement"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/fit"
	"github.com/hcctl/hcctl/pkg/step"
)

// charge is the additional usage in a namespace, as ResourceQuotas count it. A dry run on an API server checks one
// object against quotas and charges none (k8s.io/apiserver, plugin/resourcequota, checkQuotas), so it accepts two
// objects even if the quota allows only one.
type charge struct {
	namespace string
	// objects are charged unless they exist. of is the additional usage.
	objects    []client.Object
	additional fit.Resources
	// subject is the beginning of a message, such as "2 worker VMs more need".
	subject string
}

// exceededQuota returns the quota of the namespace that has too little left. It returns none if the user may not read
// quotas: the API server decides then.
func (c charge) exceededQuota(ctx context.Context, r kube.Reader) (placement.Count, error) {
	var quotas corev1.ResourceQuotaList
	if err := r.List(ctx, &quotas, client.InNamespace(c.namespace)); err != nil {
		if kube.IsNotPermitted(err) || kube.IsKindMissing(err) {
			return placement.Count{}, nil
		}
		return placement.Count{}, fmt.Errorf("ResourceQuotas in namespace %s: %w", c.namespace, err)
	}
	count := c.exceededIn(quotas.Items)
	if count.Impossible == "" || len(c.objects) == 0 {
		return count, nil
	}
	var absent []client.Object
	for _, obj := range c.objects {
		have, err := readExisting(ctx, r, obj)
		if err != nil {
			return placement.Count{}, err
		}
		if have == nil {
			absent = append(absent, obj)
		}
	}
	c.objects = absent
	return c.exceededIn(quotas.Items), nil
}

func (c charge) exceededIn(quotas []corev1.ResourceQuota) placement.Count {
	need := c.needs()
	for i := range quotas {
		q := &quotas[i]
		if !forRunningPods(q) {
			continue
		}
		for _, name := range fit.Of(q.Spec.Hard).Names() {
			of := limitedResource(name)
			hard, used := fit.Number(of, q.Spec.Hard[name]), fit.Number(of, q.Status.Used[name])
			if need[of] > 0 && need[of] > hard-used {
				return placement.Count{Full: true, Next: hint.New("oc describe resourcequota %s -n %s", q.Name, q.Namespace),
					Impossible: fmt.Sprintf("ResourceQuota %s leaves %s of %s, and %s %s", kube.Name(q),
						fit.Amount(of, max(hard-used, 0)), fit.Bare(of, hard), c.subject, fit.Amount(of, need[of]))}
			}
		}
	}
	return placement.Count{}
}

// needs returns the total usage by the resource names of quotas.
func (c charge) needs() fit.Resources {
	all := fit.Resources{}
	all.Add(c.additional, 1)
	for _, obj := range c.objects {
		if obj.GetNamespace() == c.namespace {
			resource, _ := meta.UnsafeGuessKindToResource(obj.GetObjectKind().GroupVersionKind())
			all[corev1.ResourceName(resource.GroupResource().String())]++
		}
	}
	return all
}

// forRunningPods reports whether a quota counts pods that request resources and run until they are deleted, such as
// those of control planes and worker VMs. A quota with another scope counts only other pods.
func forRunningPods(q *corev1.ResourceQuota) bool {
	scopes := slices.Clone(q.Spec.Scopes)
	if q.Spec.ScopeSelector != nil {
		for _, e := range q.Spec.ScopeSelector.MatchExpressions {
			if e.Operator != corev1.ScopeSelectorOpExists {
				return false
			}
			scopes = append(scopes, e.ScopeName)
		}
	}
	return !slices.ContainsFunc(scopes, func(s corev1.ResourceQuotaScope) bool {
		return s != corev1.ResourceQuotaScopeNotTerminating && s != corev1.ResourceQuotaScopeNotBestEffort
	})
}

// withinQuotas returns the ResourceQuota of the control plane namespace that has too little left for worker VMs with
// their volumes, or for a new control plane in an adopted namespace. The namespace of any other new cluster has no
// quota yet.
func (d *demand) withinQuotas(ctx context.Context, r kube.Reader, launchers []placement.Launcher,
	usage *fit.Usage) (placement.Count, error) {
	namespace := cmp.Or(d.namespace, d.adopts)
	if namespace == "" || usage == nil {
		return placement.Count{}, nil
	}
	more, vms := fit.Resources{}, 0
	for i, pool := range d.pools {
		there := usage.Launchers[types.NamespacedName{Namespace: namespace, Name: pool.Name}]
		if n := pool.MinVMs - there; n > 0 {
			more.Add(launchers[i].Requests, int64(n))
			more.Add(objectsOf(pool.NodePool), int64(n))
			vms += n
		}
	}
	whose := plural.Count(vms, "worker VM") + " more need"
	if _, runs := usage.Namespaces[namespace]; d.namespace == "" && d.plane != nil && !runs {
		more.Add(d.plane.Requests, int64(d.plane.copies))
		more.Add(fit.Resources{claims: 1}, int64(d.plane.copies))
		more.Add(planeObjects(), 1)
		whose = "the control plane and " + plural.Count(vms, "worker VM") + " need"
	} else if vms == 0 {
		return placement.Count{}, nil
	}
	return charge{namespace: namespace, additional: more, subject: whose}.exceededQuota(ctx, r)
}

// The objects that quotas count, as they are named after "count/".
const (
	claims         = corev1.ResourcePersistentVolumeClaims
	virtualMachine = corev1.ResourceName("virtualmachines.kubevirt.io")
	// ofClass follows the name of a StorageClass in the resource names of quotas.
	ofClass = ".storageclass.storage.k8s.io/"
)

// objectsOf returns the objects that a worker VM adds to its namespace: its root volume is a claim (nodepool kubevirt,
// virtualMachineTemplateBase; 32Gi is the CRD's default).
func objectsOf(np *hyperv1.NodePool) fit.Resources {
	size, class := int64(32)<<30, ""
	if kv := np.Spec.Platform.Kubevirt; kv != nil && kv.RootVolume != nil && kv.RootVolume.Persistent != nil {
		if p := kv.RootVolume.Persistent; p.Size != nil {
			size = p.Size.Value()
		}
		if p := kv.RootVolume.Persistent; p.StorageClass != nil {
			class = *p.StorageClass
		}
	}
	all := fit.Resources{claims: 1, virtualMachine: 1, corev1.ResourceStorage: size}
	if class != "" {
		all[corev1.ResourceName(class)+ofClass+claims] = 1
		all[corev1.ResourceName(class)+ofClass+corev1.ResourceRequestsStorage] = size
	}
	return all
}

// planeObjects returns a lower limit of the objects of a control plane on KubeVirt: control-plane-operator 4.14 to 5.1
// has names for 67 to 82 Secrets, 30 to 45 ConfigMaps and 24 to 31 Services, some of them for other platforms.
func planeObjects() fit.Resources {
	return fit.Resources{corev1.ResourceSecrets: 40, corev1.ResourceConfigMaps: 20, corev1.ResourceServices: 10}
}

// limitedResource returns the resource that a name in a quota limits.
func limitedResource(name corev1.ResourceName) corev1.ResourceName {
	counted, is := strings.CutPrefix(string(name), "count/")
	if !is {
		counted = strings.TrimPrefix(counted, corev1.DefaultResourceRequestsPrefix)
	}
	return corev1.ResourceName(counted)
}

// charge returns the usage of a new cluster in the namespace of its HostedCluster. HyperShift's operator adds its
// kubeconfig as a Secret.
func (p *Plan) charge() charge {
	all := append(objects.Companions(p.Options, p.Inputs), objects.HostedCluster(p.Options, p.Inputs))
	for _, pool := range p.Options.NodePools {
		all = append(all, objects.NodePool(p.Options, pool, p.Inputs))
	}
	return charge{p.Options.Namespace, all, fit.Resources{corev1.ResourceSecrets: 1},
		"hosted cluster " + p.Options.Name + " needs"}
}

// checkQuotas checks that the quotas of the namespace leave room for a new cluster's objects.
func (p *Plan) checkQuotas(ctx context.Context, r kube.Reader) step.Finding {
	return checkCharges(ctx, r, p.charge())
}

// checkCharges returns the finding about charges.
func checkCharges(ctx context.Context, r kube.Reader, charges ...charge) step.Finding {
	for _, c := range charges {
		count, err := c.exceededQuota(ctx, r)
		switch {
		case err != nil:
			return kube.Unknown(err).On("Namespace %s", c.namespace)
		case count.Impossible != "":
			return step.Missing("%s", count.Impossible).On("Namespace %s", c.namespace).WithHint("%s", count.Next)
		}
	}
	return step.OK("the quotas leave room for it")
}

// totalCharges returns the total usage of several new clusters by namespace.
func totalCharges(plans []*Plan) []charge {
	var all []charge
	clusters := map[string]int{}
	for _, p := range plans {
		one := p.charge()
		clusters[one.namespace]++
		i := slices.IndexFunc(all, func(c charge) bool { return c.namespace == one.namespace })
		if i < 0 {
			all = append(all, one)
			continue
		}
		all[i].objects = append(all[i].objects, one.objects...)
		all[i].additional.Add(one.additional, 1)
		all[i].subject = plural.Count(clusters[one.namespace], "hosted cluster") + " need"
	}
	return all
}
