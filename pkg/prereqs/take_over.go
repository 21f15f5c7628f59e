package prereqs

import (
	"maps"
	"slices"
	"strings"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/prereqs/gitops"
	"github.com/hcctl/hcctl/pkg/prereqs/loadbalancer"
	"github.com/hcctl/hcctl/pkg/prereqs/multicluster"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/prereqs/storage"
	"github.com/hcctl/hcctl/pkg/prereqs/virtualization"
	"github.com/hcctl/hcctl/pkg/step"
)

// TakeOvers returns the steps that can replace foreign decisions, in the order of the graph.
func TakeOvers() []step.ID {
	var out []step.ID
	for _, p := range everyPrerequisite() {
		if p.TakesOver != "" {
			out = append(out, p.ID)
		}
	}
	return out
}

// takeOverField is the name of Options.TakeOver in hcctl.yaml.
const takeOverField = "takeOver"

func takeOver(given []string) (prereq.TakeOver, error) {
	out := prereq.TakeOver{}
	if len(given) == 0 {
		return out, nil
	}
	var known []string
	for _, t := range TakeOvers() {
		known = append(known, string(t))
	}
	for _, id := range given {
		if !slices.Contains(known, id) {
			return nil, option.Errorf(takeOverField, id, "use one of %s", strings.Join(known, ", "))
		}
		out[step.ID(id)] = true
	}
	return out, nil
}

// installers returns the steps that install the operators, by package.
func installers() map[string]step.ID {
	return map[string]step.ID{
		olm.LocalStorage().Package:            storage.LocalStorageOperator,
		olm.DataFoundation().Package:          storage.DataFoundation,
		olm.LVMStorage().Package:              storage.LVMOperator,
		olm.Virtualization().Package:          virtualization.Operator,
		olm.CommunityVirtualization().Package: virtualization.Operator,
		olm.MetalLB().Package:                 loadbalancer.Operator,
		olm.MulticlusterEngine().Package:      multicluster.Operator,
		olm.GitOps().Package:                  gitops.Operator,
	}
}

// pins returns the pins of all operators, completed with the other options.
func pins(o Options, takesOver prereq.TakeOver) (olm.Pins, error) {
	given := olm.Pins(o.Operators)
	if err := given.Validate(); err != nil {
		return nil, err
	}
	if err := prereq.OneOf("approval", o.Approval, olm.Approvals()); err != nil {
		return nil, err
	}
	out := maps.Clone(given)
	if out == nil {
		out = olm.Pins{}
	}
	for name, id := range installers() {
		pin := out[name]
		if pin.Approval == "" && pin.StartingCSV == "" {
			pin.Approval = o.Approval
		}
		pin.Step, pin.TakeOver = id, takesOver[id]
		out[name] = pin
	}
	return out, nil
}
