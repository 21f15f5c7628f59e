package release_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestInstallPage runs those commands of docs/install.md that need a release, as they stand there: in a folder with the
// release's files, in the home folder of somebody who has nothing.
func TestInstallPage(t *testing.T) {
	folder, home := t.TempDir(), t.TempDir()
	for _, a := range artifacts(t, "Archive") {
		if err := os.WriteFile(filepath.Join(folder, a.Name), read(t, a.Path), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, from := range map[string]string{
		"checksums.txt": filepath.Join(dist(t), "checksums.txt"), "install.sh": "install.sh",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), read(t, from), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	releases, ran, here := site(t, nil), 0, false
	for line := range strings.Lines(string(read(t, "../../docs/install.md"))) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "<!-- ") {
			here = line == "<!-- run in hack/release -->"
		}
		if !here || !strings.HasPrefix(line, "    ") {
			continue
		}
		cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
		cmd.Dir = folder
		cmd.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin", "HCCTL_RELEASES=" + releases, "NO_PROXY=127.0.0.1"}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
		ran++
	}
	if ran < 7 {
		t.Errorf("only %d commands were run", ran)
	}
}
