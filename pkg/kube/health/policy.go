package health

import (
	"cmp"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// approvalGrace is the time that a CertificateSigningRequest may wait for approval: a cluster's approvers act at once.
const approvalGrace = 2 * time.Minute

// judgeRequest judges a CertificateSigningRequest: it must be approved and signed.
func judgeRequest(u *unstructured.Unstructured, v Verdict, f *facts) Verdict {
	conditions := kube.Conditions(u)
	for t, text := range map[string]string{"Failed": "its signer has refused it", "Denied": "it was denied"} {
		if c := kube.FindCondition(conditions, t); c.True() {
			v.Since = c.LastTransitionTime
			return v.with(step.StateBroken, cmp.Or(c.Reason, t), "%s", failure(text, c.Reason, c.Message))
		}
	}
	approved := kube.FindCondition(conditions, "Approved")
	v.Since = cmp.Or(approved.LastTransitionTime, u.GetCreationTimestamp().Time)
	if kube.Text(u, "status", "certificate") != "" {
		return v
	}
	signer, user := kube.Text(u, "spec", "signerName"), kube.Text(u, "spec", "username")
	if approved.True() {
		v = v.with(step.StatePending, "NotIssued", "it is approved, and signer %s has not issued a certificate", signer)
	} else {
		v.Hint = hint.New("if it is rightly asked for: oc adm certificate approve %s", u.GetName())
		v = v.with(step.StatePending, "NotApproved", "nobody has approved it: %s asks for a certificate of %s", user, signer)
	}
	if v.Recheck = max(0, approvalGrace-f.now.Sub(v.Since)); v.Recheck == 0 {
		return v.inTrouble()
	}
	return v
}

// judgeBudget judges a PodDisruptionBudget: one that allows no disruption blocks every drain of a node with its pods.
func judgeBudget(u *unstructured.Unstructured, v Verdict, _ *facts) Verdict {
	allowed := kube.FindCondition(kube.Conditions(u), "DisruptionAllowed")
	if allowed.False() && allowed.Reason == "SyncFailed" {
		return v.because(step.StatePending, allowed).inTrouble()
	}
	_, given, _ := unstructured.NestedInt64(u.Object, "status", "disruptionsAllowed")
	if !given || !kube.Observed(u) {
		return v.with(step.StatePending, "NotObserved", "its controller has not processed it yet")
	}
	v.Since = allowed.LastTransitionTime
	expected := kube.Number(u, "status", "expectedPods")
	if expected == 0 || kube.Number(u, "status", "disruptionsAllowed") > 0 {
		return v
	}
	return v.with(step.StateWarning, "InsufficientPods", "it lets no pod go, so that drains of their nodes wait: %d of "+
		"%d pods are healthy, and %d have to be", kube.Number(u, "status", "currentHealthy"), expected,
		kube.Number(u, "status", "desiredHealthy"))
}
