package update

import (
	"context"
	"fmt"
	"sync"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/hostedcluster/release"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/management"
)

// snapshot is what was read of the management cluster.
type snapshot struct {
	version     *configv1.ClusterVersion
	operators   management.List[configv1.ClusterOperator]
	configPools management.List[unstructured.Unstructured]
	budgets     management.List[management.Budget]
	requests    management.List[requestCount]
	// bundles are the ClusterServiceVersions without OLM's copies.
	bundles       management.List[bundle]
	subscriptions management.List[olmv1alpha1.Subscription]
	hosted        management.List[hyperv1.HostedCluster]
	pools         management.List[hyperv1.NodePool]
	// supported are the minor versions that HyperShift's operator supports at present.
	supported management.List[string]
}

// bundle holds the fields read of a ClusterServiceVersion.
type bundle struct {
	Metadata struct {
		Namespace   string            `json:"namespace"`
		Name        string            `json:"name"`
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
	Spec struct {
		Version  string `json:"version"`
		Replaces string `json:"replaces"`
	} `json:"spec"`
	Status struct {
		Phase   olmv1alpha1.ClusterServiceVersionPhase `json:"phase"`
		Message string                                 `json:"message"`
	} `json:"status"`
}

func (b *bundle) name() string { return b.Metadata.Namespace + "/" + b.Metadata.Name }

// copiedLabel marks the copies of a ClusterServiceVersion that OLM makes in other namespaces.
const copiedLabel = "olm.copiedFrom"

// read reads everything in parallel. It fails if the ClusterVersion cannot be read.
func read(ctx context.Context, c *kube.Client) (*snapshot, error) {
	w := &snapshot{version: &configv1.ClusterVersion{}}
	var failed error
	var wg sync.WaitGroup
	wg.Go(func() { failed = c.Get(ctx, types.NamespacedName{Name: "version"}, w.version) })
	wg.Go(func() {
		w.operators = management.Pages(ctx, c, &configv1.ClusterOperatorList{},
			func(l *configv1.ClusterOperatorList) []configv1.ClusterOperator { return l.Items })
	})
	wg.Go(func() {
		w.configPools = management.Pages(ctx, c, kube.MachineConfigPool.NewList(),
			func(l *unstructured.UnstructuredList) []unstructured.Unstructured { return l.Items })
	})
	wg.Go(func() { w.budgets = management.Budgets(ctx, c) })
	wg.Go(func() { w.requests = management.Decoded[requestCount](ctx, c, kube.APIRequestCount) })
	wg.Go(func() { w.bundles = bundles(ctx, c) })
	wg.Go(func() {
		w.subscriptions = management.Pages(ctx, c, &olmv1alpha1.SubscriptionList{},
			func(l *olmv1alpha1.SubscriptionList) []olmv1alpha1.Subscription { return l.Items })
	})
	wg.Go(func() { w.hosted = management.Hosted(ctx, c) })
	wg.Go(func() {
		w.pools = management.Pages(ctx, c, &hyperv1.NodePoolList{},
			func(l *hyperv1.NodePoolList) []hyperv1.NodePool { return l.Items })
	})
	wg.Go(func() { w.supported.Items, w.supported.Err = release.SupportedVersions(ctx, c) })
	wg.Wait()
	switch {
	case kube.IsKindMissing(failed):
		return nil, fmt.Errorf("this is not OpenShift: it has no ClusterVersion")
	case failed != nil:
		return nil, fmt.Errorf("read ClusterVersion version: %w", failed)
	}
	return w, nil
}

func bundles(ctx context.Context, c *kube.Client) management.List[bundle] {
	original, err := labels.NewRequirement(copiedLabel, selection.DoesNotExist, nil)
	if err != nil {
		return management.List[bundle]{Err: err}
	}
	return management.Decoded[bundle](ctx, c, kube.ClusterServiceVersion,
		client.MatchingLabelsSelector{Selector: labels.NewSelector().Add(*original)})
}
