package kubeconfig

import (
	"context"
	"errors"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/hostedcluster/follow"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest/adminkubeconfig"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

const waitGroup = "kubeconfig"

// Wait returns steps that wait until each hosted cluster has published its kubeconfig and its API server accepts it.
// They write nothing.
func Wait(c *kube.Client, clusters []client.ObjectKey, variant Variant) []step.Step {
	steps := make([]step.Step, 0, len(clusters))
	for _, key := range clusters {
		steps = append(steps, step.Step{
			ID: step.ID("kubeconfig/" + ContextName(key.Namespace, key.Name)), Title: "kubeconfig of " + key.String(),
			Group: waitGroup,
			Check: c.Reading(func(ctx context.Context, r kube.Reader) step.Finding {
				return readyFinding(ctx, r, key, variant)
			}),
		})
	}
	return steps
}

// readyFinding returns OK if the kubeconfig exists and the hosted API server accepts it.
func readyFinding(ctx context.Context, r kube.Reader, key client.ObjectKey, variant Variant) step.Finding {
	hc := &hyperv1.HostedCluster{}
	switch err := r.Get(ctx, key, hc); {
	case apierrors.IsNotFound(err):
		return step.Broken("there is no such hosted cluster (any more)").On("HostedCluster %s", key)
	case err != nil:
		return kube.Unknown(err).On("HostedCluster %s", key)
	case hc.DeletionTimestamp != nil:
		return step.Broken("it is being deleted").On("HostedCluster %s", key)
	}
	if f, over := conditions.OfCluster(hc).Terminal(); over {
		return f
	}
	if f := follow.Available(hc); f.State != step.StateOK {
		return f
	}
	access, err := AccessOf(ctx, r, hc, variant)
	if refused, is := guest.RefusedFinding(err); is {
		return refused
	}
	var unpublished *NotReadyError
	var noVariant *NoVariantError
	switch {
	case errors.As(err, &noVariant):
		return step.Broken("it has no DNS name of its own: spec.kubeAPIServerDNSName is not set").On("HostedCluster %s", key).
			WithHint("%s", noVariant.Hint())
	case errors.As(err, &unpublished):
		return step.Pending("the kubeconfig is not published yet").On("HostedCluster %s", key)
	case err != nil && kube.IsTransient(err):
		return kube.Unknown(err).On("HostedCluster %s", key)
	case err != nil:
		return step.Pending("%s", kube.Explain(err)).On("HostedCluster %s", key)
	}
	if err := probe(ctx, r, key, access); err != nil {
		found := step.Pending("the operator says it is available, but from here it does not answer: %s",
			kube.Explain(err)).On("HostedCluster %s", key).RecheckAfter(time.Second)
		found.Hint = guest.Remedy(err, hc)
		return found
	}
	return step.OK("published, and %s", guest.Answers(r, key)).On("HostedCluster %s", key)
}

// probe requests the API server's version with the credentials of the kubeconfig.
func probe(ctx context.Context, r kube.Reader, of client.ObjectKey, access *adminkubeconfig.Access) error {
	c, err := guest.Reach(r, access, of)
	if err != nil {
		return err
	}
	_, err = c.ServerVersion(ctx)
	return err
}
