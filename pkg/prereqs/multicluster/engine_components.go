package multicluster

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// stuckCondition is the condition by which the engine's operator says that it cannot go on: an object that the API
// server does not take comes before what is required and absent, and before a pass that failed. Nil if there is none;
// Available says nothing beyond the phase, unless it contradicts that (backplane-operator 2.2 to 5.1).
func stuckCondition(mce *unstructured.Unstructured) *kube.Condition {
	conditions := kube.Conditions(mce)
	newest := -1
	for i, c := range conditions {
		failure := strings.HasPrefix(c.Type, "ComponentFailure") || c.Type == "Failure" ||
			c.Type == "MultiClusterEngineFailure"
		if failure && c.True() && (newest < 0 || conditions[newest].LastTransitionTime.Before(c.LastTransitionTime)) {
			newest = i
		}
	}
	if newest >= 0 {
		return &conditions[newest]
	}
	if c := kube.FindCondition(conditions, kube.ConditionProgressing); c.Status != "" && !c.True() {
		return &c
	}
	c := kube.FindCondition(conditions, kube.ConditionAvailable)
	if kube.Text(mce, "status", "phase") == phaseAvailable && c.Status != "" && !c.True() {
		return &c
	}
	return nil
}

// phaseAvailable is the phase of an engine whose components are all available.
const phaseAvailable = "Available"

// engineComponent is one entry of the engine's status.components: the newest condition of a thing, whatever it is
// about.
type engineComponent struct {
	kube.Condition
	name, kind string
}

// ready reports whether the thing is well. Its status alone does not say so: a Deployment that rolls out has
// Progressing True (backplane-operator 2.2 to 5.1, pkg/status).
func (c engineComponent) ready() bool {
	switch {
	case c.Reason == "OCP Console missing", c.Type == "NotPresent" && c.True():
		return true
	case !c.True():
		return false
	}
	switch c.kind {
	case "Deployment":
		// What is available has a message of its own from 2.6 on, and none before.
		return c.Message == "" || c.Message == "Deployment is available"
	case componentLocalCluster:
		return c.Type == "ManagedClusterImportSuccess"
	case "ManagedClusterAddOn":
		return c.Type == kube.ConditionAvailable
	case "ClusterManager":
		return c.Type == "Applied"
	}
	return true
}

// unready are the components that are not well.
func unready(mce *unstructured.Unstructured) []engineComponent {
	var out []engineComponent
	for _, m := range kube.Maps(mce, "status", "components") {
		c := engineComponent{kube.Condition{Type: prereq.Text(m, "type"), Status: prereq.Text(m, "status"),
			Reason: prereq.Text(m, "reason"), Message: prereq.Text(m, "message")}, prereq.Text(m, "name"),
			prereq.Text(m, "kind")}
		if !c.ready() {
			out = append(out, c)
		}
	}
	return out
}

// describeUnready tells the first component that is not well, in its own words, and how many more there are.
func describeUnready(mce *unstructured.Unstructured) string {
	list := unready(mce)
	if len(list) == 0 {
		return "its components are being installed"
	}
	text := list[0].name + " is not ready: " + list[0].Describe()
	if more := len(list) - 1; more > 0 {
		text += prereq.AndMore(more)
	}
	return text
}

// hubNamespace is where the hub's controllers run (backplane-operator 2.8 to 5.1).
const hubNamespace = "open-cluster-management-hub"

// componentCause looks below the components that are not well, at Deployments and pods; nil where nothing is wrong
// there.
func componentCause(ctx context.Context, r kube.Reader, mce *unstructured.Unstructured) *step.Finding {
	for _, c := range unready(mce) {
		var cause *step.Finding
		switch c.kind {
		case "Deployment":
			cause = prereq.JudgeWorkloads(ctx, r, prereq.EngineNamespace(mce), c.name)
		case componentLocalCluster:
			cause = klusterletCause(ctx, r)
		case "ManagedClusterAddOn":
			cause = addonCause(ctx, r, c.name)
		case "ClusterManager":
			cause = prereq.JudgeWorkloads(ctx, r, hubNamespace)
		}
		if cause != nil && (cause.Trouble || cause.State == step.StateBroken) {
			cause.Message = "component " + c.name + " of multicluster engine is not available: " + cause.Message
			return cause
		}
	}
	return nil
}
