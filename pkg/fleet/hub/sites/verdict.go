package sites

import (
	"cmp"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	workv1 "open-cluster-management.io/api/work/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// maxRead limits what is read of a site's message, in bytes. maxMessage limits what is shown of it.
const (
	maxRead    = 32 * 1024
	maxMessage = 512
)

// judge returns the state of one object of a ManifestWork at its site.
func judge(w *workv1.ManifestWork, ordinal int, u *unstructured.Unstructured) step.Finding {
	seen := kube.ConditionOf(w, w.Status.Conditions, workv1.WorkApplied)
	if seen.Status == "" || seen.Doubt != "" {
		return step.Pending("the site's work agent has not tried it yet")
	}
	m := reportOf(w, ordinal, u)
	if m == nil {
		return step.Pending("the site's work agent has not tried it yet")
	}
	applied := meta.FindStatusCondition(m.Conditions, workv1.ManifestApplied)
	if applied == nil || applied.Status != metav1.ConditionTrue {
		return refused(applied)
	}
	if !meta.IsStatusConditionTrue(m.Conditions, workv1.ManifestAvailable) {
		return step.Pending("applied, and not seen at the site yet")
	}
	kind := u.GroupVersionKind().GroupKind()
	of, says := verdicts()[kind]
	values := allowed(kind, m.StatusFeedbacks.Values)
	switch {
	case !says:
		return step.OK("there")
	case kind == subscriptionKind():
		return judgeSubscription(values)
	case of.phase != "":
		return judgePhase(values, of.phase)
	}
	return judgeConditions(values)
}

// refused returns why the site has not applied an object. Problems that an operator or a retry solves are
// pending.
func refused(applied *metav1.Condition) step.Finding {
	if applied == nil {
		return step.Pending("the site's work agent has not tried it yet")
	}
	// Secrets are removed before the text is cut, because half a secret may not be recognized.
	text := redact.Message(applied.Message[:min(len(applied.Message), maxRead)])
	text = sanitize.Value(text[:min(len(text), maxMessage)])
	has := func(words ...string) bool {
		for _, word := range words {
			if strings.Contains(applied.Message, word) {
				return true
			}
		}
		return false
	}
	switch {
	case has(`is forbidden: User "`):
		return step.Broken("the site's work agent may not apply it: %s", text).WithHint("give it the rights at the site: " +
			"docs/fleets.md, What a site's agent needs")
	case has("doesn't have a resource type", "no matches for kind", "could not find the requested resource"):
		return step.Pending("its CRD is not there yet; the agent tries again")
	case has("namespaces ") && has("not found"):
		return step.Pending("its namespace is not there yet; the agent tries again")
	case has("the object has been modified"):
		return step.Pending("changed by others at the same time; the agent tries again")
	case has("Apply failed with"):
		return step.Broken("others own fields of it at the site: %s", text).
			WithHint("give the manifest the site's own values, or leave the object out")
	case has("failed calling webhook"):
		return step.Pending("its operator's webhook does not answer: %s", text).WithTrouble()
	}
	return step.Broken("the site refuses it: %s", text)
}

func judgeSubscription(values map[string]string) step.Finding {
	switch {
	case values[unsolved] == "True":
		return step.Broken("its catalog does not resolve it (%s)", cmp.Or(values[unsolved+because], "no reason")).
			WithHint("%s at the site says why", hint.Run("check"))
	case values[installed] == "":
		return step.Pending("the operator is being installed (%s)", cmp.Or(values[phase], "no state yet"))
	}
	return step.OK("%s", values[installed])
}

func judgePhase(values map[string]string, ok string) step.Finding {
	switch is := values[phase]; {
	case is == ok && (values[available] == "" || values[available] == "True"):
		return step.OK("%s", is)
	case is == ok:
		return step.Pending("phase %s, and its conditions say that it is not (%s)", is,
			cmp.Or(values[available+because], "no reason")).WithTrouble()
	case is == "":
		return step.Pending("it has no phase yet")
	default:
		f := step.Pending("phase %s", is)
		f.Trouble = is == "Error" || is == "Failed"
		return f
	}
}

func judgeConditions(values map[string]string) step.Finding {
	switch {
	case values[degraded] == "True":
		return step.Pending("Degraded (%s)", cmp.Or(values[degraded+because], "no reason")).WithTrouble()
	case values[available] == "True":
		return step.OK("available")
	case values[available] == "":
		return step.Pending("it says nothing yet")
	}
	return step.Pending("not available (%s)", cmp.Or(values[available+because], "no reason"))
}

// reportOf returns the site's report about the object at that index of the ManifestWork, or nil if there is
// none.
func reportOf(w *workv1.ManifestWork, ordinal int, u *unstructured.Unstructured) *workv1.ManifestCondition {
	for i := range w.Status.ResourceStatus.Manifests {
		m := &w.Status.ResourceStatus.Manifests[i]
		of := m.ResourceMeta
		if int(of.Ordinal) != ordinal {
			continue
		}
		// Until the CRD exists, the agent reports no resource for the object.
		if of.Kind != "" && (of.Kind != u.GetKind() || of.Name != u.GetName() || of.Namespace != u.GetNamespace()) {
			continue
		}
		return m
	}
	return nil
}
