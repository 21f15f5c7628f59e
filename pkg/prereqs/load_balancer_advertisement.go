package prereqs

import (
	"context"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// advertisement: the addresses of the pool are announced. Without, MetalLB gives them out but nobody reaches them.
type advertisement struct {
	c *kube.Client
	o Options
}

func (s advertisement) step() step.Step {
	return step.Step{
		ID: LoadBalancerAdvertisement, Title: "address advertisement", Needs: []step.ID{LoadBalancerPool},
		Check: s.check, Apply: s.apply, Timeout: 5 * time.Minute,
	}
}

func (s advertisement) check(ctx context.Context) step.Finding {
	pools, err := addressPools(ctx, s.c)
	if err != nil && !kube.IsKindMissing(err) {
		return kube.Unread(err).On("IPAddressPools")
	}
	var all []unstructured.Unstructured
	for _, kind := range []kube.Kind{kube.L2Advertisement, kube.BGPAdvertisement} {
		list := kind.NewList()
		if err := s.c.List(ctx, list); err != nil && !kube.IsKindMissing(err) {
			return kube.Unread(err).On("%ss", kind.Kind)
		}
		for i := range list.Items {
			list.Items[i].SetKind(kind.Kind)
		}
		all = append(all, list.Items...)
	}
	return judgeAdvertised(serving(s.o.LoadBalancer.ranges(), pools), all)
}

func judgeAdvertised(pools []addressPool, all []unstructured.Unstructured) step.Finding {
	if len(pools) == 0 {
		return step.NotThere("there is no pool to advertise").On("L2Advertisement %s", poolName)
	}
	object := ""
	for _, p := range pools {
		i := slices.IndexFunc(all, func(u unstructured.Unstructured) bool { return advertises(&u, p) })
		switch {
		case i >= 0:
			object = fmt.Sprintf("%s %s", all[i].GetKind(), kube.Name(&all[i]))
		case p.name == poolName:
			return step.NotThere("no advertisement selects pool %s, so its addresses cannot be reached", p.name).On("L2Advertisement %s/%s", p.namespace, poolName)
		default:
			return step.Stuck("no advertisement selects it, so its addresses cannot be reached").On("IPAddressPool %s/%s", p.namespace, p.name).
				WithHint("make an L2Advertisement or BGPAdvertisement in %s with spec.ipAddressPools [%s]", p.namespace, p.name)
		}
	}
	return step.Okay("selects pool %s", pools[len(pools)-1].name).On("%s", object)
}

// advertises tells whether an L2 or BGP advertisement selects the pool: by name, by label, or by selecting nothing, which is
// all.
func advertises(u *unstructured.Unstructured, p addressPool) bool {
	if u.GetNamespace() != p.namespace {
		return false
	}
	names := kube.Texts(u, "spec", "ipAddressPools")
	selectors := kube.Maps(u, "spec", "ipAddressPoolSelectors")
	if len(names) == 0 && len(selectors) == 0 || slices.Contains(names, p.name) {
		return true
	}
	for _, m := range selectors {
		selector := &metav1.LabelSelector{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(m, selector); err != nil {
			continue
		}
		if s, err := metav1.LabelSelectorAsSelector(selector); err == nil && s.Matches(labels.Set(p.labels)) {
			return true
		}
	}
	return false
}

func (s advertisement) apply(ctx context.Context) (step.Change, error) {
	namespace, err := installer{s.c, metalLBRow()}.home(ctx)
	if err != nil {
		return "", err
	}
	return s.c.Apply(ctx, object(kube.L2Advertisement, namespace, poolName, map[string]any{"ipAddressPools": []any{poolName}}))
}
