package multicluster

import (
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/removal"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// Engine is the prerequisite of this file.
const Engine = prereq.EngineStep

// engineName is the name in Red Hat's documents; any other works too.
const engineName = "multiclusterengine"

const removeSettings step.ID = "uninstall/multicluster-engine-settings"

// multiclusterEngine deploys multicluster engine.
type multiclusterEngine struct {
	takeOver prereq.TakeOver
	spec     *prereq.Settings
}

func (s multiclusterEngine) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: Engine, Title: "multicluster engine", Needs: []step.ID{Operator},
		Check: s.check, Apply: s.apply, Timeout: 30 * time.Minute,
		Replaces:  s.spec.Replaces(),
		TakesOver: "resumes the operator of multicluster engine where somebody has paused it",
		Rights: prereq.Rights{
			Check: append(prereq.ReadWorkloads(), prereq.ListEngine(), listHub(), listManaged(), prereq.ReadNamespaces(),
				prereq.ReadSettings(kube.MultiClusterEngine)),
			Apply: []access.Rule{{Verbs: "get create", Resources: "multiclusterengines.multicluster.openshift.io",
				Names: engineName,
				Why:   "multicluster engine"}, patchEngine()},
			Remove: []access.Rule{{Verbs: "get delete", Resources: "multiclusterengines.multicluster.openshift.io",
				Names: engineName,
				Why:   "multicluster engine"}, listHolding(), prereq.TakeBackSettings(kube.MultiClusterEngine)},
		},
		Remove: []prereq.Removal{s.removal(), prereq.SettingsRemoval(removeSettings, "settings of multicluster engine",
			kube.MultiClusterEngine)},
	}
}

func (s multiclusterEngine) check(ctx context.Context, r kube.Reader) step.Finding {
	mce, err := prereq.Engine(ctx, r)
	switch {
	case err != nil:
		return kube.Unknown(err).On("MultiClusterEngines")
	case mce != nil:
		return s.spec.Judge(ctx, r, kube.MultiClusterEngine, mce, s.progress(ctx, r, mce))
	}
	acm, err := prereq.Hub(ctx, r)
	switch {
	case err != nil:
		return kube.Unknown(err).On("MultiClusterHubs")
	case acm != nil:
		return step.Pending("it has not created its MultiClusterEngine yet").On("MultiClusterHub %s", kube.Name(acm))
	}
	return s.spec.Judge(ctx, r, kube.MultiClusterEngine, nil, judgeEngines(nil))
}

// progress returns the state that the engine reports, or a problem below it that explains more.
func (s multiclusterEngine) progress(ctx context.Context, r kube.Reader, mce *unstructured.Unstructured) step.Finding {
	f := judgeEngine(mce)
	if s.takeOver[Engine] && isPausedEngine(mce) {
		return s.resumable(mce)
	}
	if f.State != step.StatePending {
		return f
	}
	if stopped := olm.Stopped(ctx, r, olm.MulticlusterEngine()); stopped != nil {
		return prereq.Explained(f, stopped)
	}
	if mce.GetDeletionTimestamp() != nil || stuckCondition(mce) != nil {
		return f
	}
	if cause := componentCause(ctx, r, mce); cause != nil {
		return *cause
	}
	if on, exists := componentsOf(mce).enabled(componentLocalCluster); exists && !on {
		return f
	}
	cluster, err := findLocalCluster(ctx, r)
	if err != nil || cluster != nil {
		return f
	}
	in := localCluster{}.absent(ctx, r, mce)
	if in.State == step.StateBroken {
		return in
	}
	return f.RecheckAfter(in.Recheck)
}

func judgeEngines(list []unstructured.Unstructured) step.Finding {
	if len(list) == 0 {
		return step.Missing("multicluster engine is not deployed").On("MultiClusterEngine %s", engineName)
	}
	return judgeEngine(&list[0])
}

// judgeEngine judges the phase of MCE 2.x and later. Phase Error is Pending: the operator sets it when one pass over
// its components failed, and retries. Available counts only together with the conditions, because it covers only the
// components that the last pass reached; if that pass failed, Progressing is Unknown.
func judgeEngine(mce *unstructured.Unstructured) step.Finding {
	object := "MultiClusterEngine " + mce.GetName()
	phase := kube.Text(mce, "status", "phase")
	if f := prereq.Deleting(kube.MultiClusterEngine.Kind, mce); f != nil {
		return *f
	}
	c := stuckCondition(mce)
	switch {
	case isPausedEngine(mce):
		return step.Broken("its operator is paused%s",
			prereq.SetBy(mce, "metadata", "annotations", pauseAnnotation(mce))).On("%s", object).
			WithHint("oc annotate mce %s %s-, or: %s", mce.GetName(), pauseAnnotation(mce),
				hint.Run("bootstrap").Flag("take-over", Engine))
	case phase == "Unimplemented":
		return step.Broken("its operator does not know what to do with it: %s", describeUnready(mce)).On("%s", object).
			WithHint("oc get mce %s -o yaml", mce.GetName())
	case phase == "":
		return step.Pending("its operator has not processed it yet").On("%s", object)
	case c != nil:
		return step.Pending("%s: %s", phase, c.Describe()).On("%s", object).WithTrouble().
			WithHint("oc get mce %s -o jsonpath='{.status.conditions}'", mce.GetName())
	case phase == phaseAvailable:
		return step.OK("Available, version %s", kube.Text(mce, "status", "currentVersion")).On("%s", object)
	}
	f := step.Pending("%s: %s", phase, describeUnready(mce)).On("%s", object).
		WithHint("oc get mce %s -o jsonpath='{.status.components}'", mce.GetName())
	f.Trouble = phase == "Error"
	return f
}

// isPausedEngine reports whether the engine's operator is paused. Phase Paused exists since 2.5, the reason is older
// (backplane-operator).
func isPausedEngine(mce *unstructured.Unstructured) bool {
	return kube.Text(mce, "status", "phase") == "Paused" ||
		slices.ContainsFunc(kube.Conditions(mce), func(c kube.Condition) bool { return c.Reason == "Paused" })
}

// resumable returns the finding about a paused engine that the user wants resumed. GitOps would pause it again.
func (s multiclusterEngine) resumable(mce *unstructured.Unstructured) step.Finding {
	object := "MultiClusterEngine " + mce.GetName()
	if f := prereq.KeptByTool(mce, "its operator is paused", "metadata", "annotations", pauseAnnotation(mce)); f != nil {
		return f.On("%s", object)
	}
	if _, exists := mce.GetAnnotations()[pauseAnnotation(mce)]; !exists {
		return step.Pending("its operator has not yet noticed that it is not paused any more").On("%s", object)
	}
	return step.Missing("its operator is paused").On("%s", object)
}

// pauseAnnotation returns the annotation that pauses the engine's operator. Versions before 2.6 know only the short
// name, which later ones still accept.
func pauseAnnotation(mce *unstructured.Unstructured) string {
	version := prereq.EngineVersion(mce)
	if _, exists := mce.GetAnnotations()["pause"]; exists || version.Major() == 2 && prereq.EngineBefore(version, 6) {
		return "pause"
	}
	return "installer.multicluster.openshift.io/pause"
}

func (s multiclusterEngine) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	mce, err := prereq.Engine(ctx, c)
	if err != nil {
		return "", err
	}
	if mce != nil && s.takeOver[Engine] && isPausedEngine(mce) {
		return resume(ctx, c, mce, pauseAnnotation(mce))
	}
	if mce != nil {
		mce.SetGroupVersionKind(kube.MultiClusterEngine.GroupVersionKind)
		return s.spec.Apply(ctx, c, mce)
	}
	return s.spec.Create(ctx, c, prereq.NewObject(kube.MultiClusterEngine, "", engineName, map[string]any{}))
}

// removal has a long timeout: the engine removes its components first.
func (s multiclusterEngine) removal() prereq.Removal {
	engine := removal.Object{Kind: kube.MultiClusterEngine, Name: engineName, Blocked: managing{}.check,
		Holds: holdsEngine}
	out := engine.Removal(prereq.RemoveEngine, "multicluster engine", removeLocalCluster, prereq.RemoveClusterSet)
	out.Timeout = 40 * time.Minute
	return out
}

// listHub returns the right to find Advanced Cluster Management (prereq.Hub).
func listHub() access.Rule {
	return prereq.ListMulticluster("multiclusterhubs.operator.open-cluster-management.io")
}

// patchEngine returns the right to enable components.
func patchEngine() access.Rule {
	return access.Rule{Verbs: "patch", Resources: "multiclusterengines.multicluster.openshift.io",
		Why: "switches components on, writes settings; an engine that is there may have any name"}
}

// patchHub returns the right to enable components if Advanced Cluster Management owns the engine.
func patchHub() access.Rule {
	return access.Rule{Verbs: "patch", Resources: "multiclusterhubs.operator.open-cluster-management.io",
		Why: "switches components on where Advanced Cluster Management owns the engine"}
}
