package cli

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestWhoIsRefusedHearsOfTheRole(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, "kv-00-admin-kubeconfig", errors.New("no"))
	finding := &step.RunError{Results: []step.Result{{Step: &step.Step{ID: "a/b"}, Outcome: step.Failed, Finding: kube.Unread(forbidden)}}}
	for name, tc := range map[string]struct {
		err           error
		command, want string
	}{
		"an error":             {fmt.Errorf("read: %w", forbidden), "hcctl kubeconfig", "hcctl rbac --for login "},
		"a finding":            {finding, "hcctl delete cluster", "hcctl rbac --for editor "},
		"two purposes":         {forbidden, "hcctl wait cluster", "hcctl rbac --for viewer,login "},
		"the least of several": {forbidden, "hcctl check", "hcctl rbac --for check "},
		"something else":       {errors.New("no such thing"), "hcctl get clusters", ""},
		"no cluster needed":    {forbidden, "hcctl version", ""},
	} {
		var b strings.Builder
		printDenied(&b, tc.err, tc.command)
		if got := b.String(); tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
			t.Errorf("%s: got %q, want %q in it", name, got, tc.want)
		}
	}
}
