package status

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/cause"
	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// candidate is a part that may be the root cause, with the nearest hint above it.
type candidate struct {
	*Part
	rank cause.Rank
	hint hint.Text
}

// candidates returns the innermost parts that are as grave as the whole, the root causes first.
func (r *Report) candidates() []candidate {
	var all []candidate
	for _, top := range r.parts() {
		if top.Kind != "" {
			all = append(all, top.innermost(r, rankOf(top, top), hint.Text{}, top)...)
		}
	}
	// If the cluster is only progressing, the conditions explain it best, and they come first.
	if r.Health == Failing && r.Phase != Deleting {
		slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.rank, b.rank) })
	}
	return all
}

// innermost returns the innermost parts of p that are as grave as the whole.
func (p *Part) innermost(r *Report, rank cause.Rank, next hint.Text, top *Part) []candidate {
	if p.Health != r.Health {
		return nil
	}
	if !p.Hint.IsZero() {
		next = p.Hint
	}
	var all []candidate
	for i := range p.Parts {
		sub := &p.Parts[i]
		below := rank
		if p == top || p.Kind == "NodePool" {
			below = rankOf(top, sub)
		}
		all = append(all, sub.innermost(r, below, next, top)...)
	}
	if len(all) == 0 {
		all = append(all, candidate{p, rank, next})
	}
	return all
}

// rankOf returns the rank of a part directly below a top part, or of the top part itself.
func rankOf(top, p *Part) cause.Rank {
	switch {
	case p.Kind == conditionKind:
		return rankOfCondition(top, p)
	case top.Kind == clusterKind && p.Kind == operatorKind:
		return cause.Operator
	case p.Kind == prerequisiteKind:
		return cause.Prerequisite
	case p.Kind == networkKind:
		return cause.Network
	case p.Kind == componentKind:
		return cause.Component
	case p.Kind == "Machine":
		return cause.Machine
	case p.Kind == requestKind:
		return cause.Request
	case top.Kind == podsKind && p.Name == "etcd":
		return cause.Etcd
	case top.Kind == podsKind && p.Name == "kube-apiserver":
		return cause.APIServer
	case top.Kind == operatorsKind && p.Kind == "Pod":
		return cause.HostedPod
	}
	switch top.Kind {
	case expiryKind:
		return cause.Expiry
	case clusterKind:
		if p != top {
			return cause.Deletion
		}
		return cause.Configuration
	case podsKind:
		return cause.ControlPlane
	case poolsKind:
		return cause.Pool
	case machinesKind:
		return cause.VirtualMachine
	case nodesKind:
		return cause.Node
	case operatorsKind:
		return cause.HostedOperator
	case servicesKind:
		return cause.Service
	}
	return cause.ManagedCluster
}

// rankOfCondition returns the rank of a condition of the HostedCluster or of one of its NodePools.
func rankOfCondition(top, p *Part) cause.Rank {
	if top.Kind == poolsKind {
		if row := conditions.Find("NodePool", p.Name); row != nil && row.Root {
			return cause.PoolConfiguration
		}
		return cause.Pool
	}
	switch hyperv1.ConditionType(p.Name) {
	case hyperv1.InfrastructureReady:
		return cause.Infrastructure
	case hyperv1.EtcdAvailable:
		return cause.EtcdCondition
	case hyperv1.KubeAPIServerAvailable:
		return cause.APIServerCondition
	case hyperv1.HostedClusterAvailable:
		if p.Reason == hyperv1.KASLoadBalancerNotReachableReason {
			return cause.Address
		}
	case conditions.DataPlaneConnection, conditions.ControlPlaneConnection:
		return cause.Connection
	}
	if row := conditions.Find(clusterKind, p.Name); row != nil && row.Root {
		return cause.Configuration
	}
	return cause.Consequence
}

// byPublishing are the conditions that the control plane's Services and Routes may explain.
var byPublishing = []string{string(hyperv1.InfrastructureReady), string(hyperv1.IgnitionEndpointAvailable),
	hyperv1.NodePoolReachedIgnitionEndpoint, conditions.ControlPlaneConnection, conditions.DataPlaneConnection}

// byRoutes are the hosted cluster's ClusterOperators that need a host name below its *.apps.
var byRoutes = []string{"authentication", "console", "ingress"}

// explain adds causes to the parts that are not OK: the symptoms of the objects one level below.
func (v *snapshot) explain(ctx context.Context, r *Report) {
	if r.Health.Compare(Progressing) < 0 || r.Phase == Deleting {
		return
	}
	w := cause.New(v.hc, v.reader, v.hosted)
	if v.pods.err == nil {
		w.GivePods(v.pods.items)
	}
	machines := v.infra.walker(v, w)
	groups := v.suspects(r)
	var wg sync.WaitGroup
	var add []func()
	explainPart := func(p *Part, ask func(context.Context) []cause.Symptom) {
		if p.Health.Compare(Progressing) < 0 {
			return
		}
		var symptoms []cause.Symptom
		wg.Go(func() { symptoms = ask(ctx) })
		add = append(add, func() { p.addSymptoms(symptoms) })
	}
	for i := range r.HostedCluster.Parts {
		p := &r.HostedCluster.Parts[i]
		if slices.Contains(byPublishing, p.Name) || rankOf(&r.HostedCluster, p) == cause.Address {
			explainPart(p, w.Published)
		}
		if p.Name == conditions.DataPlaneConnection {
			explainPart(p, func(ctx context.Context) []cause.Symptom { return w.Agents(ctx, v.hostedPods.items) })
		}
	}
	for i := range r.Nodes.Parts {
		if p := &r.Nodes.Parts[i]; strings.Contains(p.Message, "NetworkPluginNotReady") {
			explainPart(p, func(ctx context.Context) []cause.Symptom { return w.Network(ctx, p.Name, v.hostedPods.items) })
		}
	}
	for i := range r.Operators.Parts {
		if p := &r.Operators.Parts[i]; slices.Contains(byRoutes, p.Name) {
			explainPart(p, w.Published)
		}
	}
	for i := range r.ControlPlane.Parts {
		p := &r.ControlPlane.Parts[i]
		explainPart(p, func(ctx context.Context) []cause.Symptom { return w.ControlPlane(ctx, p.Kind, p.Name) })
	}
	for i := range r.NodePools.Parts {
		p := &r.NodePools.Parts[i]
		explainPart(p, func(ctx context.Context) []cause.Symptom { return w.Pool(ctx, v.hc.Namespace+"/"+p.Name) })
		for j := range p.Parts {
			if c := &p.Parts[j]; slices.Contains(byPublishing, c.Name) {
				explainPart(c, w.Published)
			}
		}
	}
	for i := range v.vms.items {
		vm := &v.vms.items[i]
		if j := slices.IndexFunc(r.Machines.Parts, func(p Part) bool { return p.Name == vm.Name }); j >= 0 {
			explainPart(&r.Machines.Parts[j], func(ctx context.Context) []cause.Symptom { return machines.Machine(ctx, vm) })
		}
	}
	for i := range v.hostedPods.items {
		pod := &v.hostedPods.items[i]
		if p := r.Operators.find("Pod", kube.Name(pod)); p != nil {
			explainPart(p, func(ctx context.Context) []cause.Symptom { return []cause.Symptom{w.HostedPod(ctx, pod)} })
		}
	}
	var unmet []step.Result
	if len(groups) > 0 && len(v.checks) > 0 {
		wg.Go(func() { unmet = v.checks[0](ctx, groups...) })
	}
	wg.Wait()
	// Adding parts to a part may move its existing ones in memory, so the inner parts, which come last, are added first.
	for _, apply := range slices.Backward(add) {
		apply()
	}
	for _, top := range r.parts() {
		top.raise()
	}
	unread := w.Unread()
	if machines != w {
		for _, apply := range machines.Unread() {
			unread = append(unread, "on the infrastructure cluster: "+apply)
		}
	}
	if len(unread) > 0 {
		r.HostedCluster.add(unexplained(unread))
	}
	for _, l := range unmet {
		r.HostedCluster.add(Part{Kind: prerequisiteKind, Name: string(l.Step.ID), Health: r.Health,
			Message: strings.TrimPrefix(l.Finding.Object+": "+l.Finding.Message, ": "), Hint: l.Finding.Hint})
	}
	r.conclude()
}

// causesKind is the kind of the part about failed reads in the search for causes.
const causesKind = "Causes"

// unexplained returns the part about failed reads in the search for causes.
func unexplained(unread []string) Part {
	return Part{Kind: causesKind, Health: Unknown, Message: "not all that may be a cause could be looked at: " +
		strings.Join(unread, "; "), Hint: hint.New("%s lists what roles there are for, and prints them", hint.Run("rbac"))}
}

// raise sets the health of each part to the gravest of its own and its parts'.
func (p *Part) raise() {
	for i := range p.Parts {
		p.Parts[i].raise()
		p.Health = Worse(p.Health, p.Parts[i].Health)
	}
}

// Prerequisites checks groups of the management cluster's prerequisites, and returns those that are not met.
type Prerequisites func(ctx context.Context, groups ...string) []step.Result

// prerequisiteKind is the kind of the part about a prerequisite. Its name is the ID of the check.
const prerequisiteKind = "Prerequisite"

// suspects returns the groups of prerequisites that may cause the failures.
func (v *snapshot) suspects(r *Report) []string {
	var groups []string
	suspect := func(group string) {
		if !slices.Contains(groups, group) {
			groups = append(groups, group)
		}
	}
	for _, c := range r.candidates() {
		switch {
		case r.Health != Failing:
		case c.rank == cause.Infrastructure || c.rank == cause.Address:
			suspect("load-balancer")
			suspect("ingress/wildcard")
		case c.rank == cause.HostedOperator && hostedcluster.BaseDomainPassthrough(v.hc.Spec) &&
			slices.Contains(byRoutes, c.Name):
			suspect("ingress/wildcard")
			// A name that does not resolve on hcctl's machine is no cause by itself, nor if the hosted cluster's own DNS fails.
			if strings.Contains(c.Message, "no such host") && r.Operators.find("ClusterOperator", "dns") == nil {
				suspect("ingress/dns")
			}
		}
	}
	return groups
}

// find returns the part of that kind and name, or nil.
func (p *Part) find(kind, name string) *Part {
	for i := range p.Parts {
		sub := &p.Parts[i]
		if sub.Kind == kind && sub.Name == name {
			return sub
		}
		if found := sub.find(kind, name); found != nil {
			return found
		}
	}
	return nil
}

// addSymptoms adds symptoms that explain the part, the best explanation first. They get the health of the part; a
// symptom whose own status reports an error turns Progressing into Failing.
func (p *Part) addSymptoms(symptoms []cause.Symptom) {
	place := map[string]int{}
	defer func() {
		slices.SortStableFunc(p.Parts, func(a, b Part) int { return cmp.Compare(place[a.Name], place[b.Name]) })
		p.worstFirst()
	}()
	for i := range symptoms {
		sub := p.symptom(&symptoms[i])
		place[sub.Name] = i - len(symptoms)
		if sub.Kind == p.Kind && sub.Name == p.Name {
			p.Message, p.Health, p.Parts = sub.Message, sub.Health, append(p.Parts, sub.Parts...)
			continue
		}
		if old := p.find(sub.Kind, sub.Name); old != nil {
			old.Message, old.Health, old.Parts = sub.Message, sub.Health, sub.Parts
			continue
		}
		p.add(sub)
	}
}

// symptom converts a symptom into a part, with the symptoms below it.
func (p *Part) symptom(s *cause.Symptom) Part {
	kind, name, _ := strings.Cut(s.Object, " ")
	if !s.Hosted { // the objects of the control plane are all in one namespace
		name = s.Name()
	}
	sub := objectPart(kind, name, p.Health, s.Verdict)
	if s.Grade().Compare(step.StateFailing) >= 0 && !s.Event && sub.Health == Progressing {
		sub.Health = Failing
	}
	sub.addSymptoms(s.Below)
	return sub
}
