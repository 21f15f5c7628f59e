package prereqs

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// hyperConvergedName is the only name its operator accepts, in its own namespace.
const hyperConvergedName = "kubevirt-hyperconverged"

// hyperConverged: KubeVirt, CDI and the rest, deployed.
type hyperConverged struct{ c *kube.Client }

func (s hyperConverged) step() step.Step {
	return step.Step{
		ID: HyperConverged, Title: "KubeVirt deployment", Needs: []step.ID{VirtualizationOperator},
		Check: s.check, Apply: s.apply, Timeout: 30 * time.Minute,
	}
}

func (s hyperConverged) check(ctx context.Context) step.Finding {
	list := kube.HyperConverged.NewList()
	if err := s.c.List(ctx, list); err != nil && !kube.IsKindMissing(err) {
		return kube.Unread(err).On("HyperConverged %s", hyperConvergedName)
	}
	return judgeHyperConverged(list.Items)
}

// judgeHyperConverged reads the conditions of HCO 1.8 (OpenShift Virtualization 4.12) and later. What is degraded there
// mostly heals, so it is waited for; a name the operator refuses is not.
func judgeHyperConverged(list []unstructured.Unstructured) step.Finding {
	if len(list) == 0 {
		return step.NotThere("KubeVirt is not deployed").On("HyperConverged %s", hyperConvergedName)
	}
	hc := &list[0]
	for i := range list {
		if list[i].GetName() == hyperConvergedName {
			hc = &list[i]
			break
		}
	}
	object := "HyperConverged " + kube.Name(hc)
	if hc.GetName() != hyperConvergedName {
		return step.Stuck("its operator accepts the name %s only", hyperConvergedName).On("%s", object).
			WithHint("oc delete hyperconverged %s -n %s, then run hcctl again", hc.GetName(), hc.GetNamespace())
	}
	f := judgeConditions(hc, []string{"ReconcileComplete", "Available"}, []string{"Degraded", "Progressing"}, []string{"InvalidRequest"})
	if f != nil {
		return *f
	}
	for _, v := range kube.Maps(hc, "status", "versions") {
		if text(v, "name") == "operator" {
			return step.Okay("Available, version %s", text(v, "version")).On("%s", object)
		}
	}
	return step.Okay("Available").On("%s", object)
}

func (s hyperConverged) apply(ctx context.Context) (step.Change, error) {
	namespace, err := installer{s.c, virtualizationRow()}.home(ctx)
	if err != nil {
		return "", err
	}
	return s.c.Apply(ctx, object(kube.HyperConverged, namespace, hyperConvergedName, map[string]any{}))
}
