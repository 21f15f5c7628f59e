package multicluster

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// stuckCondition returns the condition with which the engine's operator reports that it cannot continue, or nil: first
// an object that the API server refused, then a missing requirement or a failed pass. Available counts only if it
// contradicts the phase (backplane-operator 2.2 to 5.1).
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

const phaseAvailable = "Available"

// engineComponent is one entry of the engine's status.components: the newest condition of a component, of any type.
type engineComponent struct {
	kube.Condition
	name, kind string
}

// ready reports whether the component is healthy. The status alone is not enough: a Deployment that rolls out has
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
		// An available Deployment has this message since 2.6, and none before.
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

// unready returns the components that are not healthy.
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

// describeUnready describes the first component that is not healthy, and the number of further ones.
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

// hubNamespace is the namespace of the hub's controllers (backplane-operator 2.8 to 5.1).
const hubNamespace = "open-cluster-management-hub"

// componentCause returns a problem of the Deployments and pods of unhealthy components, or nil.
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
