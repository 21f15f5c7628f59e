package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// zeros has no end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// A file, a device or a stream without an end is an error, not all of the memory.
func TestInputsAreBounded(t *testing.T) {
	large := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 1<<40); err != nil {
		t.Fatal(err)
	}
	create := []string{"create", "cluster", "--name", "kv-00", "--yes"}
	get := []string{"get", "clusters", "--kubeconfig"}
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"a pull secret without an end": {append(create, "--pull-secret", "/dev/zero"), "/dev/zero has more than 16 MiB"},
		"a pull secret from a stream":  {append(create, "--pull-secret", "-"), "standard input has more than 16 MiB"},
		"a large file":                 {append(create, "--file", large), large + " has more than 16 MiB"},
		"a kubeconfig without an end": {append(get, "/dev/zero"), "kubeconfig: /dev/zero: it is not a regular file but a " +
			"device"},
		"a large kubeconfig": {append(get, large), "kubeconfig " + large + " has more than 32 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errs strings.Builder
			code := Main(t.Context(), tt.args, cmdutil.Streams{In: zeros{}, Out: &out, Err: &errs}, func(string) string {
				return ""
			})
			if code == 0 || !strings.Contains(errs.String(), tt.want) {
				t.Errorf("exit code %d, %s", code, errs.String())
			}
		})
	}
}
