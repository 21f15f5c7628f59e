package kubeconfig

import (
	"io/fs"
	"testing"
)

// TestModesBySystem: on Windows a file's mode says nothing of others, and read-only is an attribute.
func TestModesBySystem(t *testing.T) {
	for _, tt := range []struct {
		system        string
		mode          fs.FileMode
		open          uint32
		problem, next string
	}{
		{"linux", 0o600, 0, "it is read-only (mode 0600)", "chmod u+w /home/a/config"},
		{"linux", 0o644, 0o644, "it is read-only (mode 0644)", "chmod u+w /home/a/config"},
		{"darwin", 0o640, 0o640, "it is read-only (mode 0640)", "chmod u+w /home/a/config"},
		// The two modes that Go knows on Windows.
		{"windows", 0o666, 0, "it is read-only", `attrib -r "/home/a/config"`},
		{"windows", 0o444, 0, "it is read-only", `attrib -r "/home/a/config"`},
	} {
		if open := sharedMode(tt.system, tt.mode); open != tt.open {
			t.Errorf("%s, mode %04o: open to others is %04o, not %04o", tt.system, tt.mode, open, tt.open)
		}
		if problem, next := notWritable(tt.system, "/home/a/config",
			tt.mode); problem != tt.problem || next.String() != tt.next {
			t.Errorf("%s, mode %04o: %s: %s", tt.system, tt.mode, problem, next)
		}
	}
}
