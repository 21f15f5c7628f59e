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
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/hostedcluster/release"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/management/cluster"
)

// world is what is read of the management cluster.
type world struct {
	version     *configv1.ClusterVersion
	operators   cluster.List[configv1.ClusterOperator]
	configPools cluster.List[unstructured.Unstructured]
	budgets     cluster.List[cluster.Budget]
	requests    cluster.List[requestCount]
	// bundles are the ClusterServiceVersions without OLM's copies.
	bundles       cluster.List[bundle]
	subscriptions cluster.List[olmv1alpha1.Subscription]
	hosted        cluster.List[hyperv1.HostedCluster]
	pools         cluster.List[hyperv1.NodePool]
	// supported are the minor versions that HyperShift's operator supports now.
	supported cluster.List[string]
}

// bundle is what is read of a ClusterServiceVersion.
type bundle struct {
	Metadata struct {
		Namespace   string            `json:"namespace"`
		Name        string            `json:"name"`
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
	Spec struct {
		Version string `json:"version"`
	} `json:"spec"`
	Status struct {
		Phase   string `json:"phase"`
		Message string `json:"message"`
	} `json:"status"`
}

func (b *bundle) name() string { return b.Metadata.Namespace + "/" + b.Metadata.Name }

// copiedLabel is on the copies that OLM makes of a ClusterServiceVersion for each namespace.
const copiedLabel = "olm.copiedFrom"

// read reads everything in parallel. It fails if the ClusterVersion cannot be read.
func read(ctx context.Context, c *kube.Client) (*world, error) {
	w := &world{version: &configv1.ClusterVersion{}}
	var failed error
	var wg sync.WaitGroup
	wg.Go(func() { failed = c.Get(ctx, types.NamespacedName{Name: "version"}, w.version) })
	wg.Go(func() {
		w.operators = cluster.Pages(ctx, c, &configv1.ClusterOperatorList{},
			func(l *configv1.ClusterOperatorList) []configv1.ClusterOperator { return l.Items })
	})
	wg.Go(func() {
		w.configPools = cluster.Pages(ctx, c, kube.MachineConfigPool.NewList(),
			func(l *unstructured.UnstructuredList) []unstructured.Unstructured { return l.Items })
	})
	wg.Go(func() { w.budgets = cluster.Budgets(ctx, c) })
	wg.Go(func() { w.requests = cluster.Decoded[requestCount](ctx, c, kube.APIRequestCount) })
	wg.Go(func() { w.bundles = bundles(ctx, c) })
	wg.Go(func() {
		w.subscriptions = cluster.Pages(ctx, c, &olmv1alpha1.SubscriptionList{},
			func(l *olmv1alpha1.SubscriptionList) []olmv1alpha1.Subscription { return l.Items })
	})
	wg.Go(func() { w.hosted = cluster.Hosted(ctx, c) })
	wg.Go(func() {
		w.pools = cluster.Pages(ctx, c, &hyperv1.NodePoolList{},
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

func bundles(ctx context.Context, c *kube.Client) cluster.List[bundle] {
	original, err := labels.NewRequirement(copiedLabel, selection.DoesNotExist, nil)
	if err != nil {
		return cluster.List[bundle]{Err: err}
	}
	return cluster.Decoded[bundle](ctx, c, kube.ClusterServiceVersion,
		client.MatchingLabelsSelector{Selector: labels.NewSelector().Add(*original)})
}
