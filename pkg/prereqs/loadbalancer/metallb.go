package loadbalancer

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/metallb"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/addresses"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/removal"
	"github.com/hcctl/hcctl/pkg/rbac/rule"
	"github.com/hcctl/hcctl/pkg/step"
)

// The prerequisite of this file, and its removal.
const (
	MetalLB       step.ID = "load-balancer/metallb"
	removeMetalLB step.ID = "uninstall/metallb"
)

const metalLBName = metallb.Name

// metalLB deploys MetalLB: its controller and speakers.
type metalLB struct{}

func (s metalLB) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: MetalLB, Title: "MetalLB", Needs: []step.ID{Operator},
		Check: s.check, Apply: s.apply, Timeout: 15 * time.Minute,
		Rights: prereq.Rights{
			Check: []rule.Rule{addresses.List("metallbs.metallb.io"), addresses.ListControllers(), prereq.ListNodes()},
			Apply: []rule.Rule{{Verbs: "get create patch", Resources: "metallbs.metallb.io", Names: metalLBName,
				Features: []rule.Feature{rule.MetalLB}, Why: "MetalLB"}},
			Remove: []rule.Rule{{Verbs: "get delete", Resources: "metallbs.metallb.io", Names: metalLBName,
				Features: []rule.Feature{rule.MetalLB}, Why: "MetalLB"}},
		},
		Remove: []prereq.Removal{removal.Object{Kind: kube.MetalLB, Name: metalLBName,
			Blocked: addressesInUse(s).deployed}.Removal(removeMetalLB, "MetalLB", removePool)},
	}
}

func (s metalLB) check(ctx context.Context, r kube.Reader) step.Finding {
	list := kube.MetalLB.NewList()
	if err := r.List(ctx, list); err != nil && !kube.IsKindMissing(err) {
		return kube.Unknown(err).On("MetalLB %s", metalLBName)
	}
	if len(list.Items) == 0 {
		if f := withoutOperator(ctx, r); f != nil {
			return *f
		}
	}
	f := judgeMetalLB(list.Items)
	if f.State != step.StateOK {
		return f
	}
	speakers, err := speakersOf(ctx, r)
	if err != nil || speakers.metalLB == nil {
		return f
	}
	nodes, err := prereq.AllNodes(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("Nodes")
	}
	if without := speakers.judge(nodes); without != nil {
		return *without
	}
	f.Message += fmt.Sprintf("; speakers run on %d of %d nodes", len(speakers.on(nodes)), len(nodes))
	return f
}

// withoutOperator judges a MetalLB that was installed without its operator, such as by its Helm chart; nil where there
// is none. A second one would fight with it over the same addresses.
func withoutOperator(ctx context.Context, r kube.Reader) *step.Finding {
	controller, err := metallb.WithoutOperator(ctx, r)
	switch {
	case err != nil:
		f := kube.Unknown(err).On("Deployments")
		return &f
	case controller == nil:
		return nil
	}
	f := step.OK("MetalLB runs in namespace %s, without its operator", controller.Namespace)
	if controller.Status.ReadyReplicas == 0 {
		f = step.Pending("MetalLB is installed in namespace %s without its operator, and its controller is not ready",
			controller.Namespace).WithHint("oc get pods -n %s", controller.Namespace).WithTrouble()
	}
	f = f.On("Deployment %s", kube.Name(controller))
	return &f
}

// homeOf is the namespace for what hcctl writes: where MetalLB runs, or where its operator would run it.
func homeOf(ctx context.Context, r kube.Reader) (string, error) {
	if home, err := metallb.Home(ctx, r); home != "" || err != nil {
		return home, err
	}
	return olm.NewInstaller(olm.MetalLB()).Home(ctx, r)
}

func judgeMetalLB(list []unstructured.Unstructured) step.Finding {
	if len(list) == 0 {
		return step.Missing("MetalLB is not deployed").On("MetalLB %s", metalLBName)
	}
	m := &list[0]
	for i := range list {
		if list[i].GetName() == metalLBName {
			m = &list[i]
			break
		}
	}
	if m.GetName() != metalLBName {
		return step.Broken("its operator accepts the name %s only", metalLBName).On("MetalLB %s", kube.Name(m)).
			WithHint("oc delete metallb %s -n %s, then run hcctl again", m.GetName(), m.GetNamespace())
	}
	if f := prereq.JudgeConditions(m, []string{"Available"}, []string{"Degraded", "Progressing"},
		[]string{"IncorrectMetalLBResourceName"}); f != nil {
		return *f
	}
	return step.OK("Available").On("MetalLB %s", kube.Name(m))
}

func (s metalLB) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	namespace, err := olm.NewInstaller(olm.MetalLB()).Home(ctx, c)
	if err != nil {
		return "", err
	}
	return c.Apply(ctx, prereq.NewObject(kube.MetalLB, namespace, metalLBName, map[string]any{}))
}
