package status

import (
	"context"
	"errors"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// recheckInterval is the time between two checks of a hosted cluster that is to become healthy.
const recheckInterval = 5 * time.Second

// Stable waits until a hosted cluster has been healthy, that is OK or Warning, for some time.
type Stable struct {
	// For is that time; 0 accepts the first healthy check.
	For time.Duration
	// since is the time of the first check of an unbroken series of healthy ones.
	since time.Time
}

// Check checks once. It returns OK once the cluster has been healthy for that time.
func (s *Stable) Check(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) step.Finding {
	object := hostedcluster.HostedClusterKind + " " + kube.Name(hc)
	report, err := Of(ctx, r, hc.Namespace, hc.Name)
	if gone := (*hostedcluster.NotFoundError)(nil); errors.As(err, &gone) {
		return step.Broken("deleted while hcctl waited for it").On("%s", object)
	}
	if err != nil {
		return kube.Unknown(err).On("%s", object)
	}
	if report.Health.Compare(Warning) > 0 {
		s.since = time.Time{}
		return report.finding().On("%s", object).RecheckAfter(recheckInterval)
	}
	if s.since.IsZero() {
		s.since = r.Now()
	}
	if healthy := r.Now().Sub(s.since); healthy < s.For {
		return step.Pending("healthy, which has to last for %s", s.For).On("%s", object).
			RecheckAfter(min(recheckInterval, s.For-healthy))
	}
	return step.OK("healthy").On("%s", object)
}

// finding converts the root cause of an unhealthy cluster into a finding.
func (r *Report) finding() step.Finding {
	f := step.Pending("%s", r.Says()).WithHint("%s", r.Hint())
	switch r.Health {
	case Broken:
		f.State = step.StateBroken
	case Unknown:
		f.State = step.StateUnknown
	case Failing:
		f.Trouble = true
	case OK, Warning, Progressing:
	}
	return f
}

// Advice checks once, and returns what is not healthy in a cluster that is complete.
func Advice(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) step.Finding {
	f := (&Stable{}).Check(ctx, r, hc)
	if f.State != step.StateOK {
		f.State, f.Message = step.StateMissing, "complete, but "+f.Message
	}
	return f
}
