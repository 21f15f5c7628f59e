package prereqs

import (
	"slices"

	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/cluster"
	"github.com/hcctl/hcctl/pkg/prereqs/gitops"
	"github.com/hcctl/hcctl/pkg/prereqs/ingress"
	"github.com/hcctl/hcctl/pkg/prereqs/loadbalancer"
	"github.com/hcctl/hcctl/pkg/prereqs/multicluster"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/prereqs/storage"
	"github.com/hcctl/hcctl/pkg/prereqs/virtualization"
	"github.com/hcctl/hcctl/pkg/step"
)

// Steps returns every prerequisite of KubeVirt hosted clusters, in the order of reports. Nothing is read or written
// before a step is checked or applied.
//
// The writes of a step are tried as dry runs first, so that none is made if one is refused.
func Steps(c *kube.Client, o Validated) []step.Step {
	all := prerequisites(o, requiredAccess(o))
	for i := range all {
		all[i].Apply = guard{replaces: all[i].Replaces, takenOver: o.TakeOver[all[i].ID]}.before(all[i].Apply)
	}
	return stepsOf(c, all)
}

// prerequisites returns the prerequisites of all groups. required is what the check of permissions tests.
func prerequisites(o Validated, required []kube.Access) []prereq.Prerequisite {
	all := slices.Concat(
		cluster.Prerequisites(cluster.Options{Manifests: o.Virtualization.Manifests != "", Access: required,
			Mirrors: o.Mirrors, TakeOver: o.TakeOver}),
		storage.Prerequisites(o.Storage, o.Operators),
		virtualization.Prerequisites(o.Virtualization, o.Operators),
		loadbalancer.Prerequisites(o.LoadBalancer, o.Operators),
		multicluster.Prerequisites(o.Multicluster, o.Operators, o.TakeOver),
		ingress.Prerequisites(o.TakeOver),
	)
	if o.wants(gitops.Group) {
		all = append(all, gitops.Prerequisites(o.Operators)...)
	}
	loadbalancer.GuardRanges(all, o.LoadBalancer)
	if o.Mirrors.Given() {
		await(all, prereq.Catalogs)
	}
	if planned := o.planned(); len(planned) > 0 {
		last := slices.IndexFunc(all, func(p prereq.Prerequisite) bool { return p.ID.Group() != prereq.SettingsFit.Group() })
		all = slices.Insert(all, last, settingsFit(o, planned))
		await(all, prereq.SettingsFit)
	}
	return all
}

// planned returns the settings of operators' objects that the user has given.
func (v *validated) planned() []prereq.Planned {
	all := append(v.Storage.Planned(v.Operators), v.Virtualization.Planned(v.Operators),
		v.LoadBalancer.Planned(v.Operators), v.Multicluster.Planned(v.Operators))
	return slices.DeleteFunc(all, func(p prereq.Planned) bool { return p.Settings == nil })
}

// settingsFit checks settings against the schemas of their operators. If the user requested catalogs, it waits for
// them, because they decide the versions.
func settingsFit(o Validated, planned []prereq.Planned) prereq.Prerequisite {
	needs := prereq.Gates()
	if o.Mirrors.Given() {
		needs = append(needs, prereq.Catalogs)
	}
	return prereq.SettingsPrerequisite(planned, prereq.Rights{Check: olm.CheckRights()}, needs...)
}

// await makes the installation of operators wait for a step: requested catalogs, or the check of settings.
func await(all []prereq.Prerequisite, id step.ID) {
	for i, p := range all {
		if p.Apply != nil && p.ID.Group() != id.Group() && slices.Contains(p.Needs, prereq.ClusterPermissions) {
			all[i].Needs = append(slices.Clip(p.Needs), id)
		}
	}
}

// everyPrerequisite returns all prerequisites that any options may include, for their metadata.
func everyPrerequisite() []prereq.Prerequisite {
	all := prerequisites(withOptional(), nil)
	for _, mode := range loadbalancer.Modes() {
		o := valid(Options{LoadBalancer: loadbalancer.Options{Mode: mode}})
		for _, p := range loadbalancer.Prerequisites(o.LoadBalancer, nil) {
			if !slices.ContainsFunc(all, func(q prereq.Prerequisite) bool { return q.ID == p.ID }) {
				all = append(all, p)
			}
		}
	}
	return append(all, settingsFit(withOptional(), nil))
}

func stepsOf(c *kube.Client, all []prereq.Prerequisite) []step.Step {
	steps := make([]step.Step, 0, len(all))
	for _, p := range all {
		steps = append(steps, p.Step(c))
	}
	return steps
}

// Graph returns the graph of Steps without a cluster: for names, needs and pages. Its steps must not be checked or
// applied.
func Graph(o Validated) (*step.Graph, error) {
	c, err := kube.New(&rest.Config{Host: "https://invalid."})
	if err != nil {
		return nil, err
	}
	return step.New(Steps(c, o)...)
}
