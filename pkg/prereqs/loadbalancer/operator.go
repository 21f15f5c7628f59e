package loadbalancer

import (
	"context"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/addresses"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// IDs of the prerequisite and its removal.
const (
	Operator              step.ID = "load-balancer/operator"
	removeMetalLBOperator step.ID = "uninstall/metallb-operator"
)

// loadBalancerOperator installs MetalLB's operator.
type loadBalancerOperator struct {
	pins olm.Pins
}

func (s loadBalancerOperator) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: Operator, Title: "MetalLB operator", Needs: prereq.Gates(),
		Check: s.check, Apply: s.installer().Apply, Timeout: olm.Timeout,
		TakesOver: olm.TakesOver, Replaces: olm.Replaces(),
		Rights: prereq.Rights{
			Check:  append(olm.CheckRights(), addresses.List("metallbs.metallb.io"), addresses.ListControllers()),
			Apply:  olm.ApplyRights(),
			Remove: olm.RemoveRights(olm.MetalLB()),
		},
		Remove: []prereq.Removal{olm.NewRemoval(olm.MetalLB(), kube.MetalLB, kube.IPAddressPool).
			Removal(removeMetalLBOperator, removeMetalLB)},
	}
}

func (s loadBalancerOperator) installer() olm.Installer {
	return olm.NewInstaller(olm.MetalLB().Pinned(s.pins))
}

func (s loadBalancerOperator) check(ctx context.Context, r kube.Reader) step.Finding {
	f := olm.OrHealthy(ctx, r, s.installer().Check(ctx, r), kube.MetalLB, judgeMetalLB, operatorName)
	if f.State != step.StateMissing && !olm.WithoutLifecycleManager(f) {
		return f
	}
	if running := withoutOperator(ctx, r); running != nil {
		if running.State == step.StatePending {
			return step.OK("%s", running.Message).On("%s", running.Object)
		}
		return *running
	}
	return f
}
