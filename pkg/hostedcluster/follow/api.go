package follow

import (
	"context"
	"errors"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/guest"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// apiAnswers is OK when the API server accepts the admin kubeconfig from this machine.
func (f *Cluster) apiAnswers(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) step.Finding {
	found := Available(hc)
	if found.State != step.StateOK {
		return f.components.progress(found)
	}
	access, err := guest.Access(ctx, r, hc)
	if refused, is := guest.RefusedFinding(err); is {
		return refused
	}
	switch {
	case errors.Is(err, guest.ErrNoKubeconfig):
		return step.Pending("the kubeconfig is not written yet").On("Secret %s/%s", hc.Namespace, hc.Status.KubeConfig.Name)
	case err != nil:
		return kube.Unknown(err).On("Secret %s/%s", hc.Namespace, hc.Status.KubeConfig.Name)
	}
	cfg, err := guest.Config(r, access, f.key())
	if err != nil {
		return step.Broken("its kubeconfig cannot be used: %s", err).On("HostedCluster %s", kube.Name(hc))
	}
	if err := f.probe(ctx, cfg); err != nil {
		found := step.Pending("the operator says it is available, but from here it does not answer: %s",
			kube.Explain(err)).On("HostedCluster %s", kube.Name(hc)).RecheckAfter(time.Second)
		found.Hint = guest.Remedy(err, hc)
		return found
	}
	return step.OK("%s", guest.Answers(r, f.key())).On("HostedCluster %s", kube.Name(hc))
}
