package release_test

import (
	"bytes"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// site serves a release as the place does where releases are. bad are files that it serves in another form.
func site(t *testing.T, bad map[string][]byte) string {
	t.Helper()
	server := httptest.NewServer(releases(t, bad))
	t.Cleanup(server.Close)
	return server.URL
}

// secureSite is site by https. It returns the variables that install.sh and its curl take.
func secureSite(t *testing.T, bad map[string][]byte) []string {
	t.Helper()
	server := httptest.NewTLSServer(releases(t, bad))
	t.Cleanup(server.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	block := &pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}
	if err := os.WriteFile(ca, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"HCCTL_RELEASES=" + server.URL, "CURL_CA_BUNDLE=" + ca}
}

func releases(t *testing.T, bad map[string][]byte) http.Handler {
	t.Helper()
	directory := "/download/v" + version(t) + "/"
	mux := http.NewServeMux()
	mux.Handle(directory, http.StripPrefix(directory, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if text, ok := bad[r.URL.Path]; ok {
			_, _ = w.Write(text)
			return
		}
		http.ServeFileFS(w, r, os.DirFS(dist(t)), r.URL.Path)
	})))
	mux.HandleFunc("/latest", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/tag/v"+version(t), http.StatusFound)
	})
	mux.HandleFunc("/tag/", func(http.ResponseWriter, *http.Request) {})
	return mux
}

// TestInstallScript runs the script against a release, a forged one, and half of one.
func TestInstallScript(t *testing.T) {
	needs(t, "curl")
	archive := here(t)
	forged := map[string][]byte{archive.Name: append(read(t, archive.Path), 0)}
	for _, tt := range []struct {
		name string
		bad  map[string][]byte
		args []string
		// cosign is what the program of this name in the path answers; empty means there is none.
		cosign string
		// piped runs the script from a pipe.
		piped bool
		// from is where releases are instead.
		from      string
		installed bool
		want      string
	}{
		{name: "a version", args: []string{"v" + version(t)}, installed: true, want: "hcctl v" + version(t) + " linux/"},
		{name: "the newest", installed: true, want: "hcctl v" + version(t) + " linux/"},
		{name: "a forged archive", bad: forged, want: "nothing was installed"},
		{name: "no checksum", bad: map[string][]byte{"checksums.txt": []byte("a  b\n")},
			want: "does not name " + archive.Name},
		{name: "another version", args: []string{"v0.0.0"}, want: "cannot be downloaded"},
		{name: "no version", args: []string{"../../x"}, want: "../../x is not a version such as v1.2.3"},
		{name: "a version with a path", args: []string{"v1/../x"}, want: "v1/../x is not a version such as v1.2.3"},
		{name: "a forged signature", bad: map[string][]byte{"checksums.txt.sigstore.json": []byte("{}")}, cosign: "exit 1",
			want: "not that of hcctl's release workflow: nothing was installed"},
		{name: "a signature", bad: map[string][]byte{"checksums.txt.sigstore.json": []byte("{}")}, cosign: "exit 0",
			installed: true, want: "hcctl v"},
		{name: "without cosign", installed: true, want: "the signature of checksums.txt was not verified"},
		{name: "in plain", from: "http://127.0.0.1:1", want: "it does not begin with https://"},
		{name: "from a pipe as root", piped: true, want: "a script from a pipe is not run as root"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			home, tools := t.TempDir(), t.TempDir()
			if tt.cosign != "" {
				if err := os.WriteFile(filepath.Join(tools, "cosign"), []byte("#!/bin/sh\n"+tt.cosign+"\n"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			program := filepath.Join(home, ".local/bin/hcctl")
			if err := os.MkdirAll(filepath.Dir(program), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(program, []byte("older"), 0o755); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "sh", append([]string{"install.sh"}, tt.args...)...)
			if tt.piped {
				cmd = exec.CommandContext(t.Context(), "sh", "-s")
				cmd.Stdin = bytes.NewReader(read(t, "install.sh"))
			}
			cmd.Env = append(secureSite(t, tt.bad), "HOME="+home, "PATH="+tools+":/usr/bin:/bin", "TMPDIR="+tools,
				"NO_PROXY=127.0.0.1")
			if tt.from != "" {
				cmd.Env = append(cmd.Env, "HCCTL_RELEASES="+tt.from)
			}
			out, err := cmd.CombinedOutput()
			if (err == nil) != tt.installed || !strings.Contains(string(out), tt.want) {
				t.Errorf("%v, no %q in\n%s", err, tt.want, out)
			}
			if changed := string(read(t, program)) != "older"; changed != tt.installed {
				t.Errorf("installed: %v, want %v", changed, tt.installed)
			}
			for _, dir := range []string{tools, filepath.Dir(program)} {
				entries, err := os.ReadDir(dir)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range entries {
					if e.Name() != "hcctl" && e.Name() != "cosign" {
						t.Errorf("%s is left", e.Name())
					}
				}
			}
		})
	}
}

// TestInstallScriptNeedsNoRoot looks for what a script for one user has no business with.
func TestInstallScriptNeedsNoRoot(t *testing.T) {
	for _, word := range []string{"sudo", "su -", "/usr/local", "eval", "| sh", "| bash"} {
		if strings.Contains(string(read(t, "install.sh")), word) {
			t.Errorf("install.sh has %q", word)
		}
	}
	command(t, "sh", "-n", "install.sh")
}
