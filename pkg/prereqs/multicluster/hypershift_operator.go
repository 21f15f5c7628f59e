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

// hypershiftNamespace is where HyperShift's operator runs, in every version.
const hypershiftNamespace = "hypershift"

// hypershiftOperator checks that the HyperShift operator runs with all its replicas, and that its kinds are served.
type hypershiftOperator struct {
	// served is set where it is known that HostedClusters are served.
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
		// Who prepares a hosted cluster has asked for it.
		Preflight: &prereq.Preflight{Check: s.checkServed},
	}
}

func (s hypershiftOperator) check(ctx context.Context, r kube.Reader) step.Finding {
	deployment := &appsv1.Deployment{}
	var webhook *step.Finding
	var err, unserved error
	serves := func(list client.ObjectList, where ...client.ListOption) func() error {
		return func() error { return r.List(ctx, list, where...) }
	}
	asked := []func() error{func() error { // answers about what is served count only where it is deployed
		err = r.Get(ctx, types.NamespacedName{Namespace: hypershiftNamespace, Name: "operator"}, deployment)
		return nil
	}}
	// Their CRDs are large; a list of NodePools in a namespace that has none tells as well whether they are served, and
	// HostedClusters are listed for other checks, too. Before a create, the list of all pools is needed anyway, to count
	// what they promise.
	if s.served {
		asked = append(asked, serves(&hyperv1.NodePoolList{}))
	} else {
		none := client.InNamespace(hypershiftNamespace)
		asked = append(asked, serves(&hyperv1.NodePoolList{}, none),
			func() error { _, err := kube.HostedClusters(ctx, r); return err },
			func() error { webhook = judgeWebhook(ctx, r); return nil })
	}
	unserved = kube.Together(asked...)
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

// judgeWebhook says why the operator's webhook, without which nobody writes a HostedCluster, is not served; nil if it
// is, or has no Service. A create does not ask: its write tells, and is tried again.
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

// slicesOf reports whether one of the EndpointSlices is a Service's: it has one as soon as it exists.
func slicesOf(all []unstructured.Unstructured, service string) bool {
	return slices.ContainsFunc(all, func(s unstructured.Unstructured) bool {
		return s.GetLabels()["kubernetes.io/service-name"] == service
	})
}

// checkServed returns the check of the operator where HostedClusters are known to be served.
func (s hypershiftOperator) checkServed(prereq.Wanted) kube.Check {
	return hypershiftOperator{served: true}.check
}

// readOperator is the right to read HyperShift's operator.
func readOperator() access.Rule {
	return access.Rule{Verbs: "get", Resources: "deployments.apps", Names: "operator", Why: "HyperShift's operator"}
}
