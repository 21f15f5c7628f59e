package release_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"
)

// standIns have the programs of the page work in a root of the test, and not on this machine: by name, scripts that
// call the real ones. registry.example.com is the registry of the test.
func standIns(root, registry, krew string) map[string]string {
	return map[string]string{
		"sudo": `exec "$@"`,
		"dpkg": fmt.Sprintf(`exec /usr/bin/dpkg --root=%[1]s --log=%[1]s.log "$@"`, root),
		"rpm":  fmt.Sprintf(`exec /usr/bin/rpm --root %s --dbpath /var/lib/rpm "$@"`, root),
		"kubectl": fmt.Sprintf(`[ "$1" = krew ] || exit 9
shift
exec %s "$@"`, krew),
		"skopeo": fmt.Sprintf(`for word do
	shift
	set -- "$@" "$(echo "$word" | sed 's|registry.example.com|%s|')"
done
exec /usr/bin/skopeo --insecure-policy --tmpdir "$HOME" "$@" --dest-tls-verify=false`, registry),
	}
}

// commandsOf are those commands of a page that stand below a comment, up to the next one or the next heading.
func commandsOf(t *testing.T, page, comment string) []string {
	t.Helper()
	var out []string
	below, goesOn := false, false
	for line := range strings.Lines(string(read(t, filepath.Join("../../docs", page)))) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "<!-- ") || strings.HasPrefix(line, "## ") {
			below = line == "<!-- "+comment+" -->"
		}
		text, indented := strings.CutPrefix(line, "    ")
		if !below || !indented {
			continue
		}
		text, _, _ = strings.Cut(text, "   # ")
		text = strings.TrimSpace(text)
		if goesOn {
			out[len(out)-1] += text
		} else {
			out = append(out, text)
		}
		last := &out[len(out)-1]
		if goesOn = strings.HasSuffix(*last, "\\"); goesOn {
			*last = strings.TrimSuffix(*last, "\\")
		}
	}
	return out
}

// TestDemoPage does what docs/demo.md begins with, in an empty directory: it downloads, compares, unpacks, starts and
// checks. Then bootstrap needs every program of the sandbox's archive.
func TestDemoPage(t *testing.T) {
	needs(t, "curl")
	page := strings.Join(commandsOf(t, "demo.md", "run in hack/release"), "\n")
	page = strings.NewReplacer("version=1.2.3", "version="+version(t), "amd64", runtime.GOARCH,
		"https://github.com/hcctl/hcctl/releases", site(t, nil)).Replace(page)
	before, after, ok := strings.Cut(page, "\nhcctl-sandbox start --dir sandbox &\n")
	if !ok || !strings.HasSuffix(before, "\nexport PATH=$PWD:$PATH") {
		t.Fatalf("the page starts no sandbox:\n%s", page)
	}
	directory := t.TempDir()
	run := func(lines string) (said string, code int) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "sh", "-e", "-c", lines)
		cmd.Dir, cmd.Env = directory, []string{"HOME=" + directory, "PATH=" + directory + ":/usr/bin:/bin",
			"NO_PROXY=127.0.0.1", "KUBECONFIG=sandbox/kubeconfig"}
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	if said, code := run(before); code != 0 || strings.Count(said, ": OK\n") != 2 {
		t.Fatalf("%s\n%s\nexit code %d", before, said, code)
	}
	start := exec.CommandContext(t.Context(), "./hcctl-sandbox", "start", "--dir", "sandbox")
	start.Dir, start.Env = directory, []string{"HOME=" + directory, "PATH=/usr/bin:/bin"}
	if kubeconfig := startSandbox(t, start); kubeconfig != "sandbox/kubeconfig" {
		t.Fatalf("it is ready at %s", kubeconfig)
	}
	for _, step := range []struct {
		lines string
		code  int
		want  string
	}{
		{after, 3, "\nNext: hcctl bootstrap. "},
		// No other test has these addresses of loopback.
		{"hcctl bootstrap --metallb-range 127.0.233.32-127.0.233.122", 0, "\nReady for hosted clusters. Next: "},
		{"hcctl create cluster --name kv-00", 0, "hcctl exec kv-00 -- oc get nodes\n"},
	} {
		if said, code := run(step.lines); code != step.code || !strings.Contains(said, step.want) {
			t.Fatalf("%s\n%s\nexit code %d, want %d and %q", step.lines, said, code, step.code, step.want)
		}
	}
}

// TestInstallPage runs those commands of docs/install.md that need a release, as they stand there: in a directory with
// the release's files, in the home directory of somebody who has nothing.
func TestInstallPage(t *testing.T) {
	for _, program := range []string{"curl", "dpkg", "rpm", "skopeo"} {
		needs(t, program)
	}
	krew, err := filepath.Abs("../../bin/krew")
	if err != nil {
		t.Fatal(err)
	}
	directory, home, root, tools := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	for _, a := range slices.Concat(artifacts(t, "Archive"), artifacts(t, "Linux Package")) {
		if err := os.Symlink(a.Path, filepath.Join(directory, a.Name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"checksums.txt": string(read(t, filepath.Join(dist(t), "checksums.txt"))),
		"install.sh":    string(read(t, "install.sh")), "hcctl.yaml": krewManifest(t, site(t, nil)),
		"image.tar": string(read(t, filepath.Join(dist(t), "image.tar"))),
	} {
		if err := os.WriteFile(filepath.Join(directory, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	images := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(images.Close)
	for name, script := range standIns(root, strings.TrimPrefix(images.URL, "http://"), krew) {
		if err := os.WriteFile(filepath.Join(tools, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	emptyDpkg(t, root)
	command(t, filepath.Join(tools, "rpm"), "--initdb")

	var ran []string
	for _, line := range commandsOf(t, "install.md", "run in hack/release") {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
		cmd.Dir = directory
		cmd.Env = append(secureSite(t, nil), "HOME="+home, "PATH="+tools+":/usr/bin:/bin:/usr/sbin:/sbin",
			"NO_PROXY=127.0.0.1", "KREW_NO_UPGRADE_CHECK=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
		ran = append(ran, line)
		installed := exists(filepath.Join(root, "usr/bin/hcctl"))
		switch {
		case strings.HasPrefix(line, "sudo") && strings.Contains(line, " hcctl") && !strings.Contains(line, "*") && installed:
			t.Errorf("%s: it is still there", line)
		case strings.HasPrefix(line, "sudo") && strings.Contains(line, "*") && !installed:
			t.Errorf("%s: it is not there", line)
		}
	}
	if len(ran) < 13 {
		t.Errorf("only these commands were run: %q", ran)
	}
	for _, program := range []string{".local/bin/hcctl", ".local/bin/kubectl-hcctl", ".krew/bin/kubectl-hcctl"} {
		if out := command(t, filepath.Join(home, program), "version"); !strings.HasPrefix(out, "hcctl v"+version(t)) {
			t.Errorf("~/%s says %s", program, out)
		}
	}
	answer, err := http.Get(images.URL + "/v2/tools/hcctl/manifests/v1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	index, err := io.ReadAll(answer.Body)
	if err := answer.Body.Close(); err != nil {
		t.Fatal(err)
	}
	for arch := range imagesOf(t) {
		if !strings.Contains(string(index), `"architecture":"`+arch+`"`) {
			t.Errorf("%v: the registry has no image for %s: %s", err, arch, index)
		}
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
