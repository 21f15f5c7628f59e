package update

import (
	"fmt"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/step"
)

// Step is one action of the order.
type Step struct {
	// Do is a sentence. Command is the command for it, or empty if there is no single one.
	Do      string    `json:"do"`
	Command hint.Text `json:"command,omitzero"`
}

// order returns the steps in their order: blockers, hosted clusters, the engine, OpenShift minor by minor with the
// operators that follow it, and finally the upgrades of hosted clusters that become possible.
func (w *snapshot) order(r route, operators []operator, findings []step.Finding) []Step {
	var steps []Step
	add := func(command hint.Text, format string, args ...any) {
		steps = append(steps, Step{fmt.Sprintf(format, args...), command})
	}
	if n := step.Count(findings, step.StateFailing) + step.Count(findings, step.StateUnknown); n > 0 {
		add(hint.Text{}, "resolve what blocks and what is unknown: %s", plural.Count(n, "finding"))
	}
	for i := range w.hosted.Items {
		hc := &w.hosted.Items[i]
		if v, ok := hostedcluster.ParseVersion(hostedcluster.ReleaseVersion(hc)); ok && r.behind(v) {
			add(hint.Run("upgrade cluster", hostedcluster.Argument(hc.Namespace, hc.Name)).Text(),
				"bring hosted cluster %s from %s to OpenShift %s or later, its control plane and then its node pools",
				kube.Name(hc), v, r.to.AddMinors(-supportedBehind).MinorName())
		}
	}
	add(hint.Run("maintenance", "NODE").Flag("plan").Text(),
		"see for each node what its restart would cost: an update drains all of them")
	legs := []hostedcluster.Version{r.to}
	if r.twoSteps() {
		legs = []hostedcluster.Version{r.through(), r.to}
		add(hint.Plain(w.pausing(true)),
			"pause the MachineConfigPools of workers, so that workers restart once and not twice")
	}
	from := r.from
	for i, leg := range legs {
		addEngine(add, operators, from, leg)
		name, command := leg.String(), "oc adm upgrade --to="+leg.String()
		if i < len(legs)-1 {
			name, command = leg.MinorName()+", its newest patch on offer", "oc adm upgrade"
		}
		add(hint.Plain(command), "update OpenShift to %s, and wait until it is complete", name)
		for j := range operators {
			operators[j].follow(add, from, leg)
		}
		from = leg
	}
	if r.twoSteps() {
		add(hint.Plain(w.pausing(false)),
			"unpause the MachineConfigPools of workers, and wait for them")
	}
	if len(w.hosted.Items) > 0 && r.minors() > 0 {
		add(hint.Run("upgrade cluster", "NAME").Text(),
			"upgrade the hosted clusters, as far as HyperShift's operator then supports it")
	}
	add(hint.Run("check").Text(), "check that nothing is broken")
	return steps
}

// addEngine adds the update of multicluster engine before a step of OpenShift.
func addEngine(add func(hint.Text, string, ...any), operators []operator, from, leg hostedcluster.Version) {
	for i := range operators {
		o := &operators[i]
		if !o.isEngine() || o.version == nil || leg.MinorNumber() == from.MinorNumber() {
			continue
		}
		common := olm.CommonEngine(number(from), number(leg))
		if fit, _ := o.Fit(o.version, number(leg)); fit == olm.TooOld && common != "" {
			add(hint.Text{}, "%s", o.Title+": "+o.move(common, o.ChannelFor(number(leg))))
		}
	}
}

// follow adds the update of an operator after a step of OpenShift.
func (o *operator) follow(add func(hint.Text, string, ...any), from, leg hostedcluster.Version) {
	if o.isEngine() || o.version == nil || leg.MinorNumber() == from.MinorNumber() {
		return
	}
	fit, wants := o.Fit(o.version, number(leg))
	if fit == olm.TooOld {
		add(hint.Text{}, "%s", o.Title+": "+o.move(wants, o.ChannelFor(number(leg))))
	}
}
