package cluster

import (
	"context"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// permissions checks that the user has all rights that bootstrap needs. Nothing is written before, so that a run does
// not fail halfway.
type permissions struct {
	// access is every permission that a run may need.
	access []kube.Access
}

func (s permissions) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: prereq.ClusterPermissions, Title: "permissions",
		Check: s.check,
	}
}

func (s permissions) check(ctx context.Context, r kube.Reader) step.Finding {
	denied, err := r.Denied(ctx, s.access)
	if err != nil {
		return kube.Unknown(err).On("SelfSubjectAccessReview")
	}
	return judgePermissions(denied)
}

func judgePermissions(denied []kube.Access) step.Finding {
	if len(denied) == 0 {
		return step.OK("all that bootstrap needs")
	}
	return step.Missing("you may not %s", kube.FormatAccess(denied)).
		WithHint("use a user who may, or grant just that: %s | oc apply -f - (with the settings of this command)",
			hint.Run("rbac").Flag("for", "bootstrap").Flag("user", "USER"))
}
