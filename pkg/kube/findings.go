package kube

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/pkg/step"
)

// Unread is the Finding of a Check whose read failed for any other reason than "not found": Unknown, never OK. It is final
// where asking again cannot help (no permission, credentials not accepted, a certificate that is not trusted), and
// marked where OnAway tells of it.
func Unread(err error) step.Finding {
	f := step.Unseen("%s", Explain(err))
	f.Elsewhere = ToldElsewhere(err)
	f.Final = apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) || IsUntrusted(err)
	if apierrors.IsForbidden(err) {
		f.Hint = "hcctl rbac lists what roles there are for, and prints them"
	}
	return f
}
