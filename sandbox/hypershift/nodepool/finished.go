package nodepool

import (
	"context"
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/release"
)

// DescribeFinished writes the annotations and the status of a NodePool whose machines are all nodes.
func DescribeFinished(b reconciler.Base, np *hyperv1.NodePool, hc *hyperv1.HostedCluster, payload release.Payload,
	replicas int) error {
	r := nodePools{Base: b}
	if b.Features.Has(reconciler.CanonicalImages) {
		metadata.Add(&np.Annotations, map[string]string{canonicalImagesAnnotation: "true"})
	}
	t, err := r.templateOf(context.Background(), np, payload)
	if err != nil {
		return err
	}
	r.describeSettled(np, hc, payload)
	p := pool{nodePools: &r, np: np}
	for i := range replicas {
		m := machine{node: &corev1.Node{Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady,
			Status: corev1.ConditionTrue}}}}}
		m.vm.Name, m.vm.Status.Ready = fmt.Sprintf("%s-%s-%d", np.Name, t.hash, i), true
		m.vm.Labels = map[string]string{machineHashLabel: t.hash}
		p.machines = append(p.machines, m)
	}
	strategy, err := strategyOf(np, replicas)
	if err != nil {
		return err
	}
	return p.describe(context.Background(), t, strategy)
}
