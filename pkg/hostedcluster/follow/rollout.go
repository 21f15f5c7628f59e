package follow

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// maxOperators limits the cluster operators in a message.
const maxOperators = 3

// rolledOut is Rollout, with the messages of the hosted cluster's own operators.
func (f *Cluster) rolledOut(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) step.Finding {
	found := Rollout(hc)
	if found.State != step.StatePending {
		return found
	}
	ask, cancel := context.WithTimeout(ctx, guest.Timeout)
	defer cancel()
	hosted, err := f.guest.Reader(ask, r, hc)
	var operators configv1.ClusterOperatorList
	if err == nil {
		err = hosted.List(ask, &operators)
	}
	if refused, is := guest.RefusedFinding(err); is {
		return refused
	}
	if err != nil {
		if ctx.Err() == nil {
			found.Message += fmt.Sprintf("; the hosted cluster cannot be asked: %s", kube.Explain(err))
			found.Hint = guest.Remedy(err, hc)
		}
		return found.RecheckAfter(guest.Timeout)
	}
	if notReady := OperatorsNotReady(operators.Items); len(notReady) > 0 {
		found.Message = fmt.Sprintf("%d of %d cluster operators ready: %s", len(operators.Items)-len(notReady),
			len(operators.Items), firstOf(notReady, maxOperators))
		if c := conditions.OfCluster(hc).Get(string(hyperv1.ClusterVersionSucceeding)); c.False() && c.Message != "" {
			found.Message += "; " + c.Message
		}
		if hostedcluster.BaseDomainPassthrough(hc.Spec) && ingressDegraded(operators.Items) {
			found = found.WithHint("a wildcard Route of the management cluster leads to the hosted cluster's ingress: %s "+
				"says "+
				"whether its router admits such Routes", hint.Run("check").Flag("only", "ingress"))
		}
	}
	// Watches report changes of the hosted API server. The recheck finds a server that hangs.
	return found.RecheckAfter(time.Minute)
}

// OperatorsNotReady returns a message for each ClusterOperator that is degraded, not available or progressing, in this
// order.
func OperatorsNotReady(operators []configv1.ClusterOperator) []string {
	var broken, notReady, moving []string
	for i := range operators {
		co := &operators[i]
		about := func(t configv1.ClusterStatusConditionType, bad string) (string, bool) {
			c := health.OperatorCondition(co.Status.Conditions, t)
			if c.Status == "" {
				return co.Name + ": no status yet", t == configv1.OperatorAvailable
			}
			// Some operators begin their message with their own name.
			text := strings.TrimPrefix(conditions.OneLine(cmp.Or(c.Message, c.Reason)), co.Name+": ")
			return strings.TrimSuffix(co.Name+": "+text, ": "), c.Status == bad
		}
		if text, bad := about(configv1.OperatorDegraded, "True"); bad {
			broken = append(broken, text)
		} else if text, bad = about(configv1.OperatorAvailable, "False"); bad {
			notReady = append(notReady, text)
		} else if text, bad = about(configv1.OperatorProgressing, "True"); bad {
			moving = append(moving, text)
		}
	}
	return append(append(broken, notReady...), moving...)
}

// ingressDegraded reports whether the hosted cluster's ingress operator is degraded, as it is when its canary requests
// do not arrive.
func ingressDegraded(operators []configv1.ClusterOperator) bool {
	at := slices.IndexFunc(operators, func(co configv1.ClusterOperator) bool { return co.Name == "ingress" })
	return at >= 0 && health.OperatorCondition(operators[at].Status.Conditions, configv1.OperatorDegraded).True()
}

func firstOf(list []string, limit int) string {
	if len(list) > limit {
		return strings.Join(list[:limit], "; ") + fmt.Sprintf("; and %d more", len(list)-limit)
	}
	return strings.Join(list, "; ")
}
