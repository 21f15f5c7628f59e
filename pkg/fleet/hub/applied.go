package hub

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	workv1 "open-cluster-management.io/api/work/v1"

	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/kube"
)

// refused returns why the site cannot apply this generation of a ManifestWork: the message of the first manifest
// that failed. It returns "" if the site has not tried, or succeeded. The message for a Secret is left out.
func refused(work metav1.Object, s *workv1.ManifestWorkStatus) string {
	c := kube.ConditionOf(work, s.Conditions, workv1.WorkApplied)
	if !c.False() {
		return ""
	}
	for i := range s.ResourceStatus.Manifests {
		m := &s.ResourceStatus.Manifests[i]
		bad := meta.FindStatusCondition(m.Conditions, workv1.ManifestApplied)
		if bad == nil || bad.Status != metav1.ConditionFalse {
			continue
		}
		what := sanitize.Value(m.ResourceMeta.Kind + " " + m.ResourceMeta.Name)
		if m.ResourceMeta.Kind == "Secret" {
			return fmt.Sprintf("the site cannot apply %s (%s)", what, sanitize.Value(bad.Reason))
		}
		text := bad.Message[:min(len(bad.Message), maxMessage)]
		return fmt.Sprintf("the site cannot apply %s: %s", what, sanitize.Value(redact.Message(text)))
	}
	return "the site cannot apply it (" + sanitize.Value(c.Reason) + ")"
}
