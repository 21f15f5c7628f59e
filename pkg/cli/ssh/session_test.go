package ssh

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestStateDirectory is where host keys are remembered, by system. Paths are those of the machine that runs the test.
func TestStateDirectory(t *testing.T) {
	for _, tt := range []struct {
		name, system string
		env          map[string]string
		want, err    string
	}{
		{name: "Linux", system: "linux", env: map[string]string{"HOME": "/home/a"}, want: "/home/a/.local/state"},
		{name: "macOS", system: "darwin", env: map[string]string{"HOME": "/Users/a"}, want: "/Users/a/.local/state"},
		{name: "XDG", system: "linux", env: map[string]string{"HOME": "/home/a", "XDG_STATE_HOME": "/state"}, want: "/state"},
		{name: "a relative directory counts as none", system: "linux",
			env: map[string]string{"HOME": "/home/a", "XDG_STATE_HOME": "state"}, want: "/home/a/.local/state"},
		{name: "nothing", system: "linux", err: "set HOME or XDG_STATE_HOME"},
		{name: "Windows", system: "windows", env: map[string]string{"LOCALAPPDATA": "/Users/a/AppData/Local"},
			want: "/Users/a/AppData/Local"},
		{name: "HOME is not Windows'", system: "windows", env: map[string]string{"HOME": "/c/Users/a"},
			err: "set LOCALAPPDATA or XDG_STATE_HOME"},
	} {
		got, err := stateDirectory(tt.system, func(name string) string { return tt.env[name] })
		if got != filepath.FromSlash(tt.want) || (err == nil) != (tt.err == "") ||
			err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: %q, %v", tt.name, got, err)
		}
	}
}
