package virtualization

import (
	"context"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/removal"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

const removeSettings step.ID = "uninstall/hyperconverged-settings"

// hyperConvergedName is the only name that its operator accepts, in its own namespace.
const hyperConvergedName = "kubevirt-hyperconverged"

// virtualizationPriority is the PriorityClass that its operator makes for KubeVirt's pods and does not remove (HCO 1.8
// to 1.20).
const virtualizationPriority = "kubevirt-cluster-critical"

// hyperConverged deploys OpenShift Virtualization: KubeVirt, CDI and the other components.
type hyperConverged struct {
	o    Options
	pins olm.Pins
}

func (s hyperConverged) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: prereq.HyperConverged, Title: "KubeVirt deployment", Needs: []step.ID{Operator},
		Check: s.check, Apply: s.apply, Timeout: 30 * time.Minute,
		Replaces: s.o.Spec.Replaces(),
		Rights: prereq.Rights{
			Check: append(prereq.ReadWorkloads(), append(hyperConvergedRights(),
				prereq.ReadSettings(kube.HyperConverged))...),
			Apply: []access.Rule{
				{Verbs: "get create patch", Resources: "hyperconvergeds.hco.kubevirt.io", Names: hyperConvergedName,
					Why: "virtualization"},
			},
			Remove: []access.Rule{storedVersion(), {Verbs: "get delete", Resources: "hyperconvergeds.hco.kubevirt.io",
				Names: hyperConvergedName, Why: "virtualization"},
				prereq.TakeBackSettings(kube.HyperConverged)},
		},
		Effects: []prereq.Effect{{By: "OpenShift Virtualization's operator", Kind: kube.PriorityClass,
			Name: virtualizationPriority, For: kube.HyperConverged, Does: "its pods go before all others but the system's",
			Remove: "oc delete priorityclass " + virtualizationPriority},
			{By: "KubeVirt's virt-handler", Kind: kube.Node, Labels: "node.kubevirt.io", For: kube.HyperConverged,
				Does:   "what processor and hypervisor the node has",
				Remove: "oc get node NODE --show-labels, then oc label node NODE LABEL-"}},
		Remove: []prereq.Removal{removal.Object{Kind: kube.HyperConverged, Name: hyperConvergedName,
			Blocked: machines{}.check, Holds: olm.Holds(olm.Virtualization())}.Removal(prereq.RemoveHyperConverged,
			"KubeVirt deployment", prereq.NoHostedClusters),
			prereq.SettingsRemoval(removeSettings, "settings of virtualization", kube.HyperConverged.Versions()...)},
		Preflight: &prereq.Preflight{For: func(w prereq.Wanted) bool { return !w.Elsewhere }},
	}
}

func (s hyperConverged) check(ctx context.Context, r kube.Reader) step.Finding {
	list, err := kube.ListStored(ctx, r, kube.HyperConverged)
	if err != nil {
		return kube.Unknown(err).On("HyperConverged %s", hyperConvergedName)
	}
	f := s.health(ctx, r, list)
	if s.o.Spec == nil {
		return f
	}
	kind, err := kube.Stored(ctx, r, kube.HyperConverged)
	if err != nil {
		return kube.Unknown(err).On("CustomResourceDefinition of HyperConverged")
	}
	one, err := existing(ctx, r, kind)
	if err != nil {
		return kube.Unknown(err).On("HyperConverged %s", hyperConvergedName)
	}
	return s.o.Spec.Judge(ctx, r, kind, one, f)
}

// existing returns the HyperConverged with the name that its operator accepts, in this API version, or nil.
func existing(ctx context.Context, r kube.Reader, kind kube.Kind) (*unstructured.Unstructured, error) {
	list := kind.NewList()
	if err := r.List(ctx, list); err != nil && !kube.IsKindMissing(err) {
		return nil, err
	}
	i := slices.IndexFunc(list.Items, func(u unstructured.Unstructured) bool { return u.GetName() == hyperConvergedName })
	if i < 0 {
		return nil, nil //nolint:nilnil // there is none
	}
	list.Items[i].SetGroupVersionKind(kind.GroupVersionKind)
	return &list.Items[i], nil
}

// health judges the HyperConverged and its workloads.
func (s hyperConverged) health(ctx context.Context, r kube.Reader, list []unstructured.Unstructured) step.Finding {
	f := judgeHyperConverged(list, r.Now())
	if f.State == step.StatePending {
		if stopped := olm.Stopped(ctx, r, olm.Virtualization()); stopped != nil {
			return prereq.Explained(f, stopped)
		}
	}
	if f.State == step.StatePending && activeHyperConverged(list).GetDeletionTimestamp() == nil {
		// During the installation, pods that are not ready yet explain nothing.
		trouble := f.Trouble || !lateSince(activeHyperConverged(list), r.Now()).IsZero()
		if cause := prereq.JudgeWorkloads(ctx, r, activeHyperConverged(list).GetNamespace()); cause != nil && (trouble ||
			cause.Trouble || cause.State == step.StateBroken) {
			return prereq.Explained(f, cause)
		}
	}
	if f.State != step.StateOK || s.o.Manifests == "" {
		return f
	}
	return s.checkManifests(ctx, r, f)
}

// activeHyperConverged returns the HyperConverged with the name that its operator accepts, or else the first. The list
// must not be empty.
func activeHyperConverged(list []unstructured.Unstructured) *unstructured.Unstructured {
	for i := range list {
		if list[i].GetName() == hyperConvergedName {
			return &list[i]
		}
	}
	return &list[0]
}

// judgeHyperConverged judges the conditions of HCO 1.8 (OpenShift Virtualization 4.12) and later. Degraded mostly
// recovers, so it is Pending; a name that the operator refuses is Broken.
func judgeHyperConverged(list []unstructured.Unstructured, now time.Time) step.Finding {
	if len(list) == 0 {
		return step.Missing("KubeVirt is not deployed").On("HyperConverged %s", hyperConvergedName)
	}
	hc := activeHyperConverged(list)
	object := "HyperConverged " + kube.Name(hc)
	if f := prereq.Deleting(kube.HyperConverged.Kind, hc); f != nil {
		return *f
	}
	if hc.GetName() != hyperConvergedName {
		return step.Broken("its operator accepts the name %s only", hyperConvergedName).On("%s", object).
			WithHint("oc delete hyperconverged %s -n %s, then run hcctl again", hc.GetName(), hc.GetNamespace())
	}
	f := prereq.JudgeObject(hc, health.Final("InvalidRequest"),
		health.Conditions([]string{"ReconcileComplete", "Available"}, []string{"Degraded", "Progressing"}))
	if c := kube.FindCondition(kube.Conditions(hc), "ReconcileComplete"); f != nil && f.State == step.StatePending &&
		c.False() {
		*f = step.Pending("%s", c.Describe()).On("%s", object).WithTrouble()
	}
	if f != nil && f.State == step.StatePending && !f.Trouble {
		*f = relayed(hc, *f)
		if since := lateSince(hc, now); !since.IsZero() {
			f.Message += "; it has been so since " + since.UTC().Format(time.RFC3339)
		} else {
			*f = f.RecheckAfter(installTime)
		}
	}
	if f != nil && f.State == step.StatePending {
		return f.WithHint("oc get %s -n %[2]s -o yaml; oc get pods,events -n %[2]s", relays(hc), hc.GetNamespace())
	}
	if f != nil {
		return *f
	}
	message := "Available"
	if version := hyperConvergedVersion(hc); version != "" {
		message += ", version " + version
	}
	// It works in spite of both: alerts, and unsupported settings by annotation.
	if status := kube.Text(hc, "status", "systemHealthStatus"); status != "" && status != "healthy" {
		message += "; systemHealthStatus " + status + ": see its alerts"
	}
	if tainted := kube.FindCondition(kube.Conditions(hc), "TaintedConfiguration"); tainted.True() {
		message += "; " + tainted.Describe() + patches(hc)
	}
	// This condition exists since OpenShift 4.23. It concerns VMs with device networks.
	if c := kube.FindCondition(kube.Conditions(hc), "VirtNetworkResourcesInjectorReady"); c.False() {
		message += "; " + c.Describe()
	}
	return step.OK("%s", message).On("%s", object)
}

// installTime is how long its operator may work on it before components that are not ready count as the cause.
const installTime = 10 * time.Minute

// lateSince returns since when its operator has worked on it or it has not been available, if that is longer than an
// installation takes. Otherwise it returns the zero time. HCO keeps the time of a condition while its status is
// unchanged (1.8 to 1.20).
func lateSince(hc *unstructured.Unstructured, now time.Time) time.Time {
	conditions := kube.Conditions(hc)
	progressing := kube.FindCondition(conditions, kube.ConditionProgressing)
	since := progressing.LastTransitionTime
	if missing := kube.FindCondition(conditions, kube.ConditionAvailable); !progressing.True() && missing.False() {
		since = missing.LastTransitionTime
	} else if !progressing.True() {
		return time.Time{}
	}
	if since.IsZero() || now.Sub(since) < installTime {
		return time.Time{}
	}
	return since
}

// relays returns the resource with the details, as an argument of oc: the component whose condition HCO relays,
// according to the reason, or the HyperConverged.
func relays(hc *unstructured.Unstructured) string {
	for _, t := range []string{kube.ConditionDegraded, kube.ConditionProgressing, kube.ConditionAvailable} {
		c := kube.FindCondition(kube.Conditions(hc), t)
		for _, component := range []string{"KubeVirt", "CDI", "NetworkAddonsConfig", "SSP"} {
			if c.True() != (t == kube.ConditionAvailable) && c.Doubt == "" && strings.HasPrefix(c.Reason, component) {
				return strings.ToLower(component)
			}
		}
	}
	return "hyperconverged " + hc.GetName()
}

// patches returns the annotations with which a user patches what HCO writes to its components.
func patches(hc *unstructured.Unstructured) string {
	var names []string
	for name := range hc.GetAnnotations() {
		if strings.HasSuffix(name, "/jsonpatch") {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return " (annotation " + strings.Join(names, ", ") + ")"
}

// relayed returns a finding that names a component that is not available before another one that is progressing. HCO
// has one condition of each type for KubeVirt, CDI, the network addons and SSP together. It sets its own Progressing to
// False if none of them progresses (HCO 1.8 to 1.20).
func relayed(hc *unstructured.Unstructured, f step.Finding) step.Finding {
	conditions := kube.Conditions(hc)
	missing := kube.FindCondition(conditions, kube.ConditionAvailable)
	progressing := kube.FindCondition(conditions, kube.ConditionProgressing)
	component, found := strings.CutSuffix(missing.Reason, "NotAvailable")
	if !missing.False() || !found {
		return f
	}
	switch busy, progresses := strings.CutSuffix(progressing.Reason, "Progressing"); {
	case progressing.False():
		return step.Pending("%s", missing.Describe()).On("%s", f.Object).WithTrouble()
	case progressing.True() && progresses && busy != component:
		return step.Pending("%s; %s", missing.Describe(), progressing.Describe()).On("%s", f.Object)
	}
	return f
}

func (s hyperConverged) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	if s.o.Manifests != "" {
		return s.applyManifests(ctx, c)
	}
	kind, err := kube.Stored(ctx, c, kube.HyperConverged)
	if err != nil {
		return "", err
	}
	one, err := existing(ctx, c, kind)
	if err != nil {
		return "", err
	}
	if one != nil && s.o.Spec != nil {
		return s.o.Spec.Apply(ctx, c, one)
	}
	namespace, err := olm.NewInstaller(s.o.row(s.pins)).Home(ctx, c)
	if err != nil {
		return "", err
	}
	return s.o.Spec.Create(ctx, c, prereq.NewObject(kind, namespace, hyperConvergedName, map[string]any{}))
}
