package cli

import (
	"io"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/rbac"
)

// printDenied tells a user whom the API server has refused something which role would do.
func printDenied(w io.Writer, err error, command string) {
	purposes := rbac.Serving(command)
	if len(purposes) == 0 || !denied(err) {
		return
	}
	names := make([]string, 0, len(purposes))
	for _, p := range purposes {
		names = append(names, string(p))
	}
	tell(w, "A role for what this command needs: hcctl rbac --for %s --user USER\n", strings.Join(names, ","))
}

// denied tells whether a missing permission is a part of what went wrong. Findings carry it as text only.
func denied(err error) bool {
	return apierrors.IsForbidden(err) || strings.Contains(err.Error(), kube.NotAllowed)
}
