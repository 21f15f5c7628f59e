package update

import (
	"strings"
	"time"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/management"
	"github.com/hcctl/hcctl/pkg/step"
)

// judgeVersion reports the conditions of the ClusterVersion. Upgradeable is left out while it allows another minor
// version; False blocks minor versions, not patches.
func judgeVersion(cv *configv1.ClusterVersion, r route) []step.Finding {
	var out []step.Finding
	if v := health.Of(cv, time.Time{}); !v.OK() {
		out = append(out, blocking(v))
	}
	switch c := clusterCondition(cv, configv1.OperatorUpgradeable); {
	case c.False() && r.known && r.minors() == 0:
		out = append(out, step.OK("patches are not held up, another minor version is: %s", c.Describe()).On(theVersion))
	case c.False():
		out = append(out, step.Failing("%s", c.Describe()).On(theVersion).
			WithHint("do what the message says; oc adm upgrade shows it too"))
	case c.Status != "" && !c.True():
		out = append(out, step.Unknown("%s", c.Describe()).On(theVersion))
	}
	if len(out) == 0 {
		return []step.Finding{step.OK("%s is complete, and nothing in it blocks an update",
			r.from).On(theVersion)}
	}
	return out
}

// blocking returns a finding about an unhealthy object as Failing, or as Unknown if its state is not reported.
func blocking(v health.Verdict) step.Finding {
	v.State = step.StateFailing
	if v.Reason == health.ReasonNotReported {
		v.State = step.StateUnknown
	}
	return v.Finding
}

// judgeClusterOperators reports the cluster operators that are unhealthy, and those that block another minor version.
func (w *snapshot) judgeClusterOperators(r route) []step.Finding {
	const all = "ClusterOperators"
	if w.operators.Err != nil {
		return []step.Finding{management.Unread(all, w.operators.Err)}
	}
	if len(w.operators.Items) == 0 {
		return []step.Finding{step.Unknown("there are none: this is not OpenShift as hcctl knows it").On("%s", all)}
	}
	var out []step.Finding
	for i := range w.operators.Items {
		co := &w.operators.Items[i]
		v := health.Working(co)
		if !v.OK() {
			out = append(out, blocking(v))
		}
		if c := health.OperatorCondition(co.Status.Conditions, configv1.OperatorUpgradeable); c.False() {
			f := step.Failing("%s", c.Describe()).On("%s", v.Object).WithHint("oc describe clusteroperator %s", co.Name)
			if r.known && r.minors() == 0 {
				f = step.OK("patches are not held up, another minor version is: %s", c.Describe()).On("%s", v.Object)
			}
			out = append(out, f)
		}
	}
	if len(out) == 0 {
		return []step.Finding{step.OK("%s available, none is degraded or blocks an update",
			are(len(w.operators.Items))).On("%s", all)}
	}
	return out
}

// are returns "1 is" or "30 are".
func are(n int) string {
	return strings.Replace(strings.Replace(plural.Count(n, "x"), " xs", " are", 1), " x", " is", 1)
}
