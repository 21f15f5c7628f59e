package cluster

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// Zones is the prerequisite of this file.
const Zones step.ID = "cluster/zones"

// planeReplicas is the maximum number of pods of each kind in a highly available control plane, each in a zone of its
// own.
const planeReplicas = 3

// zones checks that there is a zone for each pod of a highly available control plane. Up to release 4.17 their
// anti-affinity by zone is required, later it is preferred (control-plane-operator 4.14 to 4.21).
type zones struct{}

func (s zones) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: Zones, Title: "zones", Severity: step.Advisory,
		Check:  s.check,
		Rights: prereq.Rights{Check: []access.Rule{prereq.ListNodes(), readScheduler()}},
		Preflight: &prereq.Preflight{
			For:      func(w prereq.Wanted) bool { return w.HighlyAvailable && w.ZoneBound },
			Required: true,
		},
	}
}

func (s zones) check(ctx context.Context, r kube.Reader) step.Finding {
	nodes, err := hostingWorkers(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("Nodes")
	}
	return judgeZones(nodes).On("Nodes")
}

// judgeZones counts zones. Two pods never share a zone, but a node without a zone takes any pod.
func judgeZones(nodes []corev1.Node) step.Finding {
	names, without := map[string]bool{}, 0
	for i := range nodes {
		if !prereq.TakesPods(&nodes[i]) {
			continue
		}
		if zone := nodes[i].Labels[corev1.LabelTopologyZone]; zone != "" {
			names[zone] = true
		} else {
			without++
		}
	}
	list := strings.Join(slices.Sorted(maps.Keys(names)), ", ")
	switch {
	case len(names) == 0:
		return step.OK("no worker has a zone, so control planes spread over nodes")
	case len(names) >= planeReplicas:
		return step.OK("the workers are in %d zones: %s", len(names), prereq.Listed(slices.Sorted(maps.Keys(names))))
	case len(names)+without >= planeReplicas:
		return step.OK("some workers are in zones (%s), and %d in none", list, without)
	}
	places := fmt.Sprintf("the workers are in %d zones (%s)", len(names), list)
	if len(names) == 1 {
		places = fmt.Sprintf("the workers are all in one zone (%s)", list)
	}
	return step.Missing("%s: highly available control planes of releases up to 4.17 need a zone for each of their %d "+
		"pods, and some would stay Pending", places, planeReplicas).
		WithHint("create hosted clusters of 4.18 or later, or with %s SingleReplica; or give the workers three "+
			"zones, or none: oc label node NAME %s-", hint.Flag("control-plane-availability-policy"),
			corev1.LabelTopologyZone)
}
