package multicluster

import (
	"context"
	"slices"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// HypershiftOperator is the prerequisite of this file.
const HypershiftOperator step.ID = "hypershift/operator"

// hypershiftNamespace is the namespace of HyperShift's operator in every version.
const hypershiftNamespace = "hypershift"

// hypershiftOperator checks that the HyperShift operator runs with all its replicas, and that its kinds are served.
type hypershiftOperator struct {
	// served means that HostedClusters are known to be served.
	served bool
}

func (s hypershiftOperator) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: HypershiftOperator, Title: "HyperShift operator", Needs: []step.ID{HypershiftAddon},
		Check: s.check, Timeout: 15 * time.Minute,
		Rights: prereq.Rights{
			Check: append(prereq.ReadWorkloads(), readOperator(), prereq.ListHosted("hostedclusters"),
				prereq.ListHosted("nodepools"), access.Rule{Verbs: "list", Resources: "endpointslices.discovery.k8s.io",
					Why: "whether HyperShift's webhook is served"}),
		},
		// The caller has already listed HostedClusters.
		Preflight: &prereq.Preflight{Check: s.checkServed},
	}
}

func (s hypershiftOperator) check(ctx context.Context, r kube.Reader) step.Finding {
	deployment := &appsv1.Deployment{}
	var webhook *step.Finding
	var err, unserved error
	listing := func(list client.ObjectList, where ...client.ListOption) func() error {
		return func() error { return r.List(ctx, list, where...) }
	}
	reads := []func() error{func() error { // the lists count only if the operator is deployed
		err = r.Get(ctx, types.NamespacedName{Namespace: hypershiftNamespace, Name: "operator"}, deployment)
		return nil
	}}
	// The CRDs are large, so it lists objects instead. NodePools of a namespace without any are enough to test whether the
	// kind is served, and other checks list HostedClusters anyway. Before a create, the list of all pools is needed anyway
	// to count what they request.
	if s.served {
		reads = append(reads, listing(&hyperv1.NodePoolList{}))
	} else {
		none := client.InNamespace(hypershiftNamespace)
		reads = append(reads, listing(&hyperv1.NodePoolList{}, none),
			func() error { _, err := kube.HostedClusters(ctx, r); return err },
			func() error { webhook = judgeWebhook(ctx, r); return nil })
	}
	unserved = kube.Together(reads...)
	switch {
	case apierrors.IsNotFound(err):
		return step.Missing("the operator is not deployed; the hypershift addon does that").
			On("Deployment %s/operator", hypershiftNamespace)
	case err != nil:
		return kube.Unknown(err).On("Deployment %s/operator", hypershiftNamespace)
	}
	if f := health.ScaledToZero(deployment, health.HyperShiftReplicas); f != nil {
		return *f
	}
	if f := prereq.JudgeWorkload(ctx, r, deployment); f != nil {
		return f.WithTrouble()
	}
	switch {
	case kube.IsKindMissing(unserved):
		return step.Pending("hypershift.openshift.io/v1beta1 HostedClusters and NodePools are not served yet").
			On("Deployment %s/operator", hypershiftNamespace)
	case unserved != nil:
		return kube.Unknown(unserved)
	case webhook != nil:
		return *webhook
	}
	return step.OK("%d of %d pods are ready, HostedClusters and NodePools are served", deployment.Status.ReadyReplicas,
		prereq.Replicas(deployment)).
		On("Deployment %s/operator", hypershiftNamespace)
}

// judgeWebhook returns a finding if the operator's webhook is not served, because then no HostedCluster can be written.
// It returns nil if it is served or has no Service. A create does not check this: its write fails and is retried.
func judgeWebhook(ctx context.Context, r kube.Reader) *step.Finding {
	list := kube.EndpointSlice.NewList()
	if err := r.List(ctx, list, client.InNamespace(hypershiftNamespace)); err != nil {
		f := kube.Unknown(err).On("EndpointSlices of namespace %s", hypershiftNamespace)
		return &f
	}
	service := &corev1.Service{}
	service.Namespace, service.Name = hypershiftNamespace, "operator"
	service.Spec.Selector = map[string]string{"name": "operator"}
	if !slicesOf(list.Items, service.Name) {
		return nil
	}
	v := health.Of(service, r.Now(), health.Endpoints(list.Items))
	if v.OK() {
		return nil
	}
	f := step.Pending("its webhook is not served, so that nobody can write a HostedCluster: %s", v.Message).
		On("Service %s", kube.Name(service)).WithTrouble().WithHint("oc get endpointslices,pods -n %s; if they stay so: "+
		"oc rollout restart deployment/operator -n %s", hypershiftNamespace, hypershiftNamespace)
	return &f
}

// slicesOf reports whether one of the EndpointSlices belongs to a Service: every Service has one as soon as it exists.
func slicesOf(all []unstructured.Unstructured, service string) bool {
	return slices.ContainsFunc(all, func(s unstructured.Unstructured) bool {
		return s.GetLabels()["kubernetes.io/service-name"] == service
	})
}

// checkServed returns the check of the operator if HostedClusters are known to be served.
func (s hypershiftOperator) checkServed(prereq.Wanted) kube.Check {
	return hypershiftOperator{served: true}.check
}

// readOperator returns the right to read HyperShift's operator.
func readOperator() access.Rule {
	return access.Rule{Verbs: "get", Resources: "deployments.apps", Names: "operator", Why: "HyperShift's operator"}
}
