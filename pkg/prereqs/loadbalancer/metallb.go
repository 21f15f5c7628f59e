package loadbalancer

import (
	"context"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/kube/metallb"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/addresses"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/removal"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// IDs of the prerequisite and its removals.
const (
	MetalLB       step.ID = "load-balancer/metallb"
	removeMetalLB step.ID = "uninstall/metallb"
	// removeSettings removes hcctl's settings from a foreign MetalLB.
	removeSettings step.ID = "uninstall/metallb-settings"
)

const metalLBName = metallb.Name

// metalLB deploys MetalLB: its controller and speakers.
type metalLB struct{ spec *prereq.Settings }

func (s metalLB) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: MetalLB, Title: "MetalLB", Needs: []step.ID{Operator},
		Check: s.check, Apply: s.apply, Timeout: 15 * time.Minute,
		Replaces: s.spec.Replaces(),
		Rights: prereq.Rights{
			Check: append(prereq.ReadWorkloads(), addresses.List("metallbs.metallb.io"), addresses.ListControllers(),
				prereq.ReadVersion(),
				prereq.ReadSettings(kube.MetalLB),
				access.Rule{Verbs: "get", Resources: "deployments.apps", Names: controllerName, Why: "MetalLB's controller"},
				access.Rule{Verbs: "get", Resources: "daemonsets.apps", Names: speakerName, Why: "MetalLB's speakers"}),
			Apply: []access.Rule{{Verbs: "get create patch", Resources: "metallbs.metallb.io", Names: metalLBName,
				Features: []access.Feature{access.MetalLB}, Why: "MetalLB"}},
			Remove: []access.Rule{{Verbs: "get delete", Resources: "metallbs.metallb.io", Names: metalLBName,
				Features: []access.Feature{access.MetalLB}, Why: "MetalLB"}, prereq.TakeBackSettings(kube.MetalLB)},
		},
		Effects: []prereq.Effect{{By: "MetalLB's operator", Kind: kube.OperatorNetwork, Name: "cluster",
			Field: []string{"spec", "additionalRoutingCapabilities"}, Since: 19, For: kube.MetalLB,
			Does: "FRR is on, and OpenShift's network operator runs frr-k8s on every node",
			Remove: "oc patch network.operator.openshift.io cluster --type=merge -p " +
				`'{"spec":{"additionalRoutingCapabilities":null}}'`}},
		Remove: []prereq.Removal{removal.Object{Kind: kube.MetalLB, Name: metalLBName,
			Blocked: addressesInUse{}.deployed, Holds: olm.Holds(olm.MetalLB())}.Removal(removeMetalLB, "MetalLB", removePool),
			prereq.SettingsRemoval(removeSettings, "settings of MetalLB", kube.MetalLB)},
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
	return s.spec.Judge(ctx, r, kube.MetalLB, deployed(list.Items), s.health(ctx, r, list.Items))
}

// deployed returns the MetalLB with the name that its operator accepts, or nil.
func deployed(list []unstructured.Unstructured) *unstructured.Unstructured {
	i := slices.IndexFunc(list, func(u unstructured.Unstructured) bool { return u.GetName() == metalLBName })
	if i < 0 {
		return nil
	}
	list[i].SetGroupVersionKind(kube.MetalLB.GroupVersionKind)
	return &list[i]
}

// health judges the MetalLB and its workloads.
func (s metalLB) health(ctx context.Context, r kube.Reader, list []unstructured.Unstructured) step.Finding {
	f := judgeMetalLB(list)
	if f.State == step.StatePending {
		if stopped := olm.Stopped(ctx, r, olm.MetalLB()); stopped != nil {
			return prereq.Explained(f, stopped)
		}
		if !deleting(list) {
			return s.explained(ctx, r, list, f)
		}
	}
	if f.State != step.StateOK {
		return f
	}
	speakers, err := speakersOf(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("MetalLB %s", metalLBName)
	}
	if speakers.metalLB != nil {
		nodes, err := prereq.AllNodes(ctx, r)
		if err != nil {
			return kube.Unknown(err).On("Nodes")
		}
		if without := speakers.judge(nodes); without != nil {
			return *without
		}
		f.Message += fmt.Sprintf("; speakers run on %d of %d nodes", len(speakers.on(nodes)), len(nodes))
	}
	if down := judgeWorkloads(ctx, r, namespaceOf(list)); down != nil {
		return *down
	}
	return f
}

// silence is how long MetalLB's operator may leave a MetalLB without a status.
const silence = time.Minute

// explained adds the cause to the finding about a MetalLB that is not ready: its workloads, because its condition
// Progressing has no message, or the operator itself. A failed sync never reaches the status (4.12 to 5.1: the API
// server refuses its reason), so for a MetalLB without conditions the operator's log helps.
func (s metalLB) explained(ctx context.Context, r kube.Reader, list []unstructured.Unstructured,
	f step.Finding) step.Finding {
	namespace := namespaceOf(list)
	if cause := judgeWorkloads(ctx, r, namespace); cause != nil && cause.State != step.StateMissing &&
		cause.State != step.StateUnknown {
		return prereq.Explained(f, cause)
	}
	m := list[slices.IndexFunc(list, func(u unstructured.Unstructured) bool { return u.GetName() == metalLBName })]
	switch age := r.Now().Sub(m.GetCreationTimestamp().Time); {
	case len(kube.Conditions(&m)) > 0:
	case age < silence:
		return f.RecheckAfter(silence - age + time.Second)
	default:
		f.Message = "its operator has reported nothing of it: what fails there stands in its log only"
		f = f.WithTrouble().WithHint("oc logs deployment/%s -n %s --tail=50", operatorName, namespace)
	}
	return f
}

// deleting reports whether the MetalLB is being deleted.
func deleting(list []unstructured.Unstructured) bool {
	return slices.ContainsFunc(list, func(u unstructured.Unstructured) bool {
		return u.GetName() == metalLBName && u.GetDeletionTimestamp() != nil
	})
}

// operatorName names the Deployment of MetalLB's operator (4.12 to 5.1).
const operatorName = "metallb-operator-controller-manager"

// Names of the workloads of MetalLB's operator, in the namespace of the MetalLB (4.12 to 5.1).
const (
	controllerName = "controller"
	speakerName    = "speaker"
)

// missingAnnotation is set on the MetalLB to the time at which a workload was found missing. It triggers a reconcile of
// the operator, which watches only the MetalLB (and, from 4.17 on, the Network).
const missingAnnotation = "hcctl.dev/workload-missing-at"

// judgeWorkloads judges MetalLB's workloads themselves, or returns nil if they are healthy. Once they have been ready,
// the operator does not check them again, and reports Available even if they were deleted.
func judgeWorkloads(ctx context.Context, r kube.Reader, namespace string) *step.Finding {
	controller, speaker := &appsv1.Deployment{}, &appsv1.DaemonSet{}
	var noController, noSpeaker error
	_ = kube.Together(
		func() error {
			noController = r.Get(ctx, client.ObjectKey{Namespace: namespace, Name: controllerName}, controller)
			return nil
		},
		func() error {
			noSpeaker = r.Get(ctx, client.ObjectKey{Namespace: namespace, Name: speakerName}, speaker)
			return nil
		},
	)
	for _, w := range []struct {
		kind, name string
		at         client.Object
		err        error
	}{{"Deployment", controllerName, controller, noController}, {"DaemonSet", speakerName, speaker, noSpeaker}} {
		err := w.err
		var f step.Finding
		switch {
		case apierrors.IsNotFound(err):
			f = step.Missing("it does not exist, and MetalLB's operator has not noticed: it looks at its MetalLB only").
				WithHint(`%s changes the MetalLB, which makes its operator create it again; by hand: oc annotate metallb `+
					`%s -n %s %s="$(date -u +%%FT%%TZ)" --overwrite`, hint.Run("bootstrap"), metalLBName, namespace,
					missingAnnotation)
		case err != nil:
			f = kube.Unknown(err)
		default:
			if f := prereq.JudgeWorkload(ctx, r, w.at); f != nil {
				return f
			}
			continue
		}
		f = f.On("%s %s/%s", w.kind, namespace, w.name)
		return &f
	}
	var f step.Finding
	switch scaledDown := health.ScaledToZero(controller, 1); {
	case scaledDown != nil:
		scaledDown.Message += ": no Service gets an address"
		return scaledDown
	case speaker.Status.DesiredNumberScheduled == 0:
		f = step.Pending("no node has a speaker, so nothing announces addresses").On("DaemonSet %s", kube.Name(speaker)).
			WithHint("oc describe daemonset %s -n %s; spec.nodeSelector and spec.speakerTolerations of the MetalLB say which "+
				"nodes have one", speakerName, namespace).WithTrouble()
	default:
		return nil
	}
	return &f
}

// namespaceOf returns the namespace of the MetalLB with the name that its operator accepts, or "".
func namespaceOf(list []unstructured.Unstructured) string {
	for i := range list {
		if list[i].GetName() == metalLBName {
			return list[i].GetNamespace()
		}
	}
	return ""
}

// withoutOperator judges a MetalLB that was installed without its operator, such as by its Helm chart, or returns nil.
// A second one would conflict over the same addresses.
func withoutOperator(ctx context.Context, r kube.Reader) *step.Finding {
	controller, err := metallb.WithoutOperator(ctx, r)
	switch {
	case err != nil:
		f := kube.Unknown(err).On("Deployments")
		return &f
	case controller == nil:
		return nil
	}
	if v := health.Of(controller, r.Now()); !v.OK() {
		f := v.Finding.WithHint("oc get pods -n %s", controller.Namespace).WithTrouble()
		f.Message = fmt.Sprintf("MetalLB is installed in namespace %s without its operator, and its controller is not "+
			"ready: %s", controller.Namespace, v.Message)
		return &f
	}
	f := step.OK("MetalLB runs in namespace %s, without its operator", controller.Namespace).
		On("Deployment %s", kube.Name(controller))
	return &f
}

// namespaceFor returns the namespace for hcctl's objects: that of MetalLB, or the one in which its operator would run
// it.
func namespaceFor(ctx context.Context, r kube.Reader) (string, error) {
	if namespace, err := metallb.Home(ctx, r); namespace != "" || err != nil {
		return namespace, err
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
	if f := prereq.JudgeObject(m, health.Final("IncorrectMetalLBResourceName"),
		health.Conditions([]string{"Available"}, []string{"Degraded", "Progressing"})); f != nil {
		return *f
	}
	return step.OK("Available").On("MetalLB %s", kube.Name(m))
}

// apply creates the MetalLB. An existing one with a missing workload only gets the annotation.
func (s metalLB) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	list := kube.MetalLB.NewList()
	if err := c.List(ctx, list); err != nil && !kube.IsKindMissing(err) {
		return "", err
	}
	if one := deployed(list.Items); one != nil && s.spec != nil {
		if change, err := s.spec.Apply(ctx, c, one); err != nil || change != step.Unchanged {
			return change, err
		}
	}
	if namespace := namespaceOf(list.Items); namespace != "" {
		return prereq.MergePatch(ctx, c, prereq.NewObject(kube.MetalLB, namespace, metalLBName, nil), fmt.Sprintf(
			`{"metadata":{"annotations":{%q:%q}}}`, missingAnnotation, c.Now().UTC().Format(time.RFC3339)))
	}
	namespace, err := olm.NewInstaller(olm.MetalLB()).Home(ctx, c)
	if err != nil {
		return "", err
	}
	return s.spec.Create(ctx, c, prereq.NewObject(kube.MetalLB, namespace, metalLBName, map[string]any{}))
}
