package placement

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/jsonpatch"
)

// Operation is one step of a JSON patch.
type Operation = jsonpatch.Operation

// The fields of the VirtualMachine template that decide where VMs run.
const (
	affinityPath = "/spec/template/spec/affinity"
	spreadPath   = "/spec/template/spec/topologySpreadConstraints"
)

// The labels of worker VMs, which KubeVirt copies to their pods. HyperShift sets the first two (nodepool/kubevirt,
// MachineTemplateSpec, 4.14 to 4.21), virt-controller the third (services/template.go, podLabels).
const (
	poolLabel     = hyperv1.NodePoolNameLabel
	infraLabel    = hyperv1.InfraIDLabel
	launcherLabel = kubevirtv1.AppLabel
	launcher      = "virt-launcher"
)

// VMs is the input of the JSON patch of one pool's worker VMs.
type VMs struct {
	InfraID, Pool string
	// Spread counts the VMs of all pools of the cluster, PoolSpread only those of this pool.
	Spread, PoolSpread []Spread
	// Avoid are the namespaces whose VMs must not share a host with these.
	Avoid       []string
	Tolerations []corev1.Toleration
	Affinity    *corev1.Affinity
	// Pinned gives each VM dedicated CPUs.
	Pinned bool
	// Own is the user's patch, which is applied last. Earlier is the patch of the HostedCluster, which HyperShift applies
	// before that of the pool.
	Own, Earlier []Operation
}

// ConflictError is an operation of a user's patch that conflicts with other options.
type ConflictError struct {
	// Earlier is set if the operation is in the HostedCluster's annotation.
	Earlier bool
	// Operation is the position in the patch, from 1. Path is the path that it changes.
	Operation int
	Path      string
	// Detail describes the conflict.
	Detail string
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("operation %d (%s) %s", e.Operation, e.Path, e.Detail)
}

// JSONPatch returns one patch of the VirtualMachine template, or "" if there is nothing to patch: tolerations,
// affinity, spreading and pinned CPUs, then the user's own operations. Settings of the same path are merged. It returns
// a *ConflictError if they cannot be.
//
// The operator creates missing parents of added fields (nodepool/kubevirt, applyJsonPatch).
func (v VMs) JSONPatch() (string, error) {
	var ops []Operation
	var errs []error
	add := func(path string, value any) {
		data, err := json.Marshal(value)
		ops, errs = append(ops, Operation{Op: "add", Path: path, Value: data}), append(errs, err)
	}
	own := v.Own
	if len(v.Tolerations) > 0 {
		add("/spec/template/spec/tolerations", v.Tolerations)
	}
	affinity := v.Affinity
	if len(v.Avoid) > 0 {
		var err error
		if affinity, own, err = v.antiAffinity(own); err != nil {
			return "", err
		}
	}
	if affinity != nil {
		add(affinityPath, affinity)
	}
	if len(v.Spread)+len(v.PoolSpread) > 0 {
		constraints, rest, err := v.constraints(own)
		if err != nil {
			return "", err
		}
		own = rest
		add(spreadPath, constraints)
	}
	if v.Pinned {
		add("/spec/template/spec/domain/cpu/dedicatedCpuPlacement", true)
	}
	if err := errors.Join(errs...); err != nil {
		return "", err
	}
	if ops = append(ops, own...); len(ops) == 0 {
		return "", nil
	}
	data, err := json.Marshal(ops)
	return string(data), err
}

// antiAffinity returns the affinity that excludes the hosts of other clusters, and the user's other operations.
func (v VMs) antiAffinity(own []Operation) (*corev1.Affinity, []Operation, error) {
	affinity := &corev1.Affinity{}
	earlier, err := settingsAt(v.Earlier, affinityPath, true)
	if err != nil {
		return nil, nil, err
	}
	later, err := settingsAt(own, affinityPath, false)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case later.set != nil:
		err = later.read(later.set, affinity)
	case v.Affinity != nil:
		affinity = v.Affinity.DeepCopy()
	case earlier.set != nil:
		err = earlier.read(earlier.set, affinity)
	}
	if err != nil {
		return nil, nil, err
	}
	if affinity.PodAntiAffinity == nil {
		affinity.PodAntiAffinity = &corev1.PodAntiAffinity{}
	}
	required := &affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	for _, namespace := range v.Avoid {
		*required = append(*required, corev1.PodAffinityTerm{
			TopologyKey:   corev1.LabelHostname,
			Namespaces:    []string{namespace},
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{launcherLabel: launcher}},
		})
	}
	return affinity, later.rest, nil
}

// constraints returns all topology spread constraints of the VMs, and the user's other operations. The operator's
// preferred constraint by host is kept, unless there is another one by host.
func (v VMs) constraints(own []Operation) ([]corev1.TopologySpreadConstraint, []Operation, error) {
	earlier, err := settingsAt(v.Earlier, spreadPath, true)
	if err != nil {
		return nil, nil, err
	}
	later, err := settingsAt(own, spreadPath, false)
	if err != nil {
		return nil, nil, err
	}
	from := earlier
	if later.set != nil {
		from = later
	} else {
		from.appended, from.places = append(from.appended, later.appended...), append(from.places, later.places...)
	}
	var all []corev1.TopologySpreadConstraint
	if from.set != nil {
		if err := from.read(from.set, &all); err != nil {
			return nil, nil, err
		}
	}
	for i, value := range from.appended {
		var one corev1.TopologySpreadConstraint
		if err := json.Unmarshal(value, &one); err != nil {
			return nil, nil, &ConflictError{Earlier: from.earlier, Operation: from.places[i], Path: spreadPath + "/-",
				Detail: "is not a topology spread constraint"}
		}
		all = append(all, one)
	}
	for _, s := range v.Spread {
		all = append(all, s.constraints(map[string]string{infraLabel: v.InfraID})...)
	}
	for _, s := range v.PoolSpread {
		all = append(all, s.constraints(map[string]string{infraLabel: v.InfraID, poolLabel: v.Pool})...)
	}
	for i := range all {
		repeats := func(c corev1.TopologySpreadConstraint) bool {
			return c.TopologyKey == all[i].TopologyKey && c.WhenUnsatisfiable == all[i].WhenUnsatisfiable
		}
		if slices.ContainsFunc(all[:i], repeats) {
			return nil, nil, &ConflictError{Earlier: from.earlier, Operation: from.first(), Path: spreadPath,
				Detail: fmt.Sprintf("spreads over %s with %s, as %s does; say it once", all[i].TopologyKey,
					all[i].WhenUnsatisfiable, hint.Flag("spread"))}
		}
	}
	byHost := func(c corev1.TopologySpreadConstraint) bool { return c.TopologyKey == corev1.LabelHostname }
	if !slices.ContainsFunc(all, byHost) {
		all = append(all, Spread{Label: corev1.LabelHostname}.constraints(map[string]string{poolLabel: v.Pool})...)
	}
	return all, later.rest, nil
}

// manyDomains exceeds the domains of any cluster. If there are fewer domains than minDomains, the scheduler treats the
// emptiest domain as empty, so maxSkew becomes the maximum per domain.
const manyDomains int32 = 10000

// constraints returns the constraint for VMs with these labels. Nodes with taints that VMs do not tolerate are
// excluded: by default the scheduler counts them, and VMs would wait for a place there.
func (s Spread) constraints(of map[string]string) []corev1.TopologySpreadConstraint {
	honor := corev1.NodeInclusionPolicyHonor
	one := corev1.TopologySpreadConstraint{
		MaxSkew: 1, TopologyKey: s.Label, WhenUnsatisfiable: corev1.ScheduleAnyway, NodeTaintsPolicy: &honor,
		LabelSelector: &metav1.LabelSelector{MatchLabels: of},
	}
	if !s.Required {
		return []corev1.TopologySpreadConstraint{one}
	}
	one.WhenUnsatisfiable = corev1.DoNotSchedule
	if s.Max > 0 {
		many := manyDomains
		one.MaxSkew, one.MinDomains = int32(s.Max), &many //nolint:gosec // ParseSpread limits it
	}
	return []corev1.TopologySpreadConstraint{one}
}

// pathSettings is what a patch sets at one path.
type pathSettings struct {
	earlier bool
	path    string
	// set is the last value of the whole path, and place the position of its operation, from 1. appended are items that
	// are added later, and places the positions of their operations.
	set      json.RawMessage
	place    int
	appended []json.RawMessage
	places   []int
	// rest are the operations on other paths.
	rest []Operation
}

// first returns the position of the operation that sets the path or, if none does, of the first that adds to it.
func (p pathSettings) first() int {
	if p.set == nil && len(p.places) > 0 {
		return p.places[0]
	}
	return p.place
}

// read decodes a value strictly.
func (p pathSettings) read(value json.RawMessage, to any) error {
	dec := json.NewDecoder(bytes.NewReader(value))
	dec.DisallowUnknownFields()
	if err := dec.Decode(to); err != nil {
		return &ConflictError{Earlier: p.earlier, Operation: p.place, Path: p.path,
			Detail: fmt.Sprintf("has a value that cannot be joined with %s and %s: it has other fields than Kubernetes knows",
				hint.Flag("spread"), hint.Flag("avoid"))}
	}
	return nil
}

// settingsAt returns the operations on the path, separated from the others. An operation that changes only a part of
// the path, or a parent of it, is a conflict.
func settingsAt(ops []Operation, path string, earlier bool) (pathSettings, error) {
	p := pathSettings{earlier: earlier, path: path}
	for i, op := range ops {
		switch {
		case op.Path == path && (op.Op == "add" || op.Op == "replace"):
			p.set, p.place, p.appended, p.places = op.Value, i+1, nil, nil
		case op.Path == path+"/-" && op.Op == "add" && path == spreadPath:
			p.appended, p.places = append(p.appended, op.Value), append(p.places, i+1)
		case touches(op.Path, path) || op.From != "" && touches(op.From, path):
			return pathSettings{}, &ConflictError{Earlier: earlier, Operation: i + 1, Path: op.Path,
				Detail: fmt.Sprintf("changes what %s and %s write; set the whole of %s with op add, which is joined with it",
					hint.Flag("spread"), hint.Flag("avoid"), path)}
		default:
			p.rest = append(p.rest, op)
		}
	}
	return p, nil
}

// touches reports whether a change of one path changes the other.
func touches(path, other string) bool { return within(path, other) || within(other, path) }

// within reports whether path is other, or below it.
func within(path, other string) bool { return path == other || strings.HasPrefix(path, other+"/") }
