// Package release_test looks at what make release-snapshot built, as those do who download, verify and install it.
package release_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// dist is the directory with the artifacts: HCCTL_DIST, else dist in the repository.
func dist(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("HCCTL_DIST")
	if dir == "" {
		dir = "../../dist"
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "artifacts.json")); err != nil {
		t.Fatalf("nothing was built: make release-snapshot (%v)", err)
	}
	return dir
}

// artifact is a row of goreleaser's artifacts.json.
type artifact struct {
	Name, Path, Type, Goos, Goarch string
}

// artifacts are those of a type, such as Archive, "Linux Package" or SBOM.
func artifacts(t *testing.T, kind string) []artifact {
	t.Helper()
	var all, out []artifact
	if err := json.Unmarshal(read(t, filepath.Join(dist(t), "artifacts.json")), &all); err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		if a.Type == kind {
			a.Path = filepath.Join(filepath.Dir(dist(t)), a.Path)
			out = append(out, a)
		}
	}
	if len(out) == 0 {
		t.Fatalf("%s has no %s", dist(t), kind)
	}
	return out
}

// archives are those of one program: hcctl or hcctl-sandbox.
func archives(t *testing.T, program string) []artifact {
	t.Helper()
	out := slices.DeleteFunc(artifacts(t, "Archive"), func(a artifact) bool { return !strings.HasPrefix(a.Name, program+"_") })
	if len(out) == 0 {
		t.Fatalf("%s has no archive of %s", dist(t), program)
	}
	return out
}

// version is what the artifacts are called by, without a v.
func version(t *testing.T) string {
	t.Helper()
	var m struct{ Version string }
	if err := json.Unmarshal(read(t, filepath.Join(dist(t), "metadata.json")), &m); err != nil || m.Version == "" {
		t.Fatalf("metadata.json: %q, %v", m.Version, err)
	}
	return m.Version
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func sum(text []byte) string {
	h := sha256.Sum256(text)
	return hex.EncodeToString(h[:])
}

// command runs a program and returns what it says; it has to succeed.
func command(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// entry is a file of an archive.
type entry struct {
	mode  os.FileMode
	time  time.Time
	owner string
	link  string
	text  []byte
}

func readTar(t *testing.T, r io.Reader) map[string]entry {
	t.Helper()
	out := map[string]entry{}
	for tr := tar.NewReader(r); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(tr)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimPrefix(h.Name, "./")] = entry{h.FileInfo().Mode(), h.ModTime, h.Uname, h.Linkname, text}
	}
}

func readArchive(t *testing.T, name string) map[string]entry {
	t.Helper()
	text := read(t, name)
	if strings.HasSuffix(name, ".tar.gz") {
		gz, err := gzip.NewReader(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return readTar(t, gz)
	}
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]entry{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out[f.Name] = entry{mode: f.Mode(), time: f.Modified, text: text}
	}
	return out
}

// commitTime is the time of the commit that was built, which everything in a release has.
func commitTime(t *testing.T) time.Time {
	t.Helper()
	for _, a := range archives(t, "hcctl") {
		for _, e := range readArchive(t, a.Path) {
			return e.time.UTC()
		}
	}
	return time.Time{}
}

// contents are the programs and the other files of an archive.
var contents = map[string]struct{ programs, files []string }{
	"hcctl": {[]string{"hcctl"}, []string{"LICENSE", "licences.txt", "install.md", "CHANGELOG.md",
		"completions/hcctl.bash", "completions/_hcctl", "completions/hcctl.fish", "completions/hcctl.ps1",
		"man/hcctl.1", "man/hcctl-create-cluster.1"}},
	"hcctl-sandbox": {[]string{"hcctl-sandbox", "sandbox-libexec/olm", "sandbox-libexec/ocm",
		"sandbox-libexec/metallb-controller"}, []string{"LICENSE", "licences.txt", "demo.md"}},
}

// TestArchives looks for what belongs into an archive for people, and reads the programs in it.
func TestArchives(t *testing.T) {
	at := commitTime(t)
	for _, a := range artifacts(t, "Archive") {
		t.Run(a.Name, func(t *testing.T) {
			in := readArchive(t, a.Path)
			name, _, _ := strings.Cut(a.Name, "_")
			for _, file := range contents[name].files {
				if len(in[file].text) == 0 {
					t.Errorf("it has no %s", file)
				}
			}
			for _, program := range contents[name].programs {
				if a.Goos == "windows" {
					program += ".exe"
				}
				if in[program].mode.Perm() != 0o755 {
					t.Errorf("%s has mode %v", program, in[program].mode)
				}
				isFor(t, in[program].text, a.Goos, a.Goarch)
			}
			for name, e := range in {
				if !e.time.UTC().Equal(at) {
					t.Errorf("%s has the time %s, not the commit's: %s", name, e.time.UTC(), at)
				}
				if e.owner != "root" && a.Goos != "windows" {
					t.Errorf("%s belongs to %q", name, e.owner)
				}
			}
			if page := string(in["man/hcctl.1"].text); name == "hcctl" && !strings.Contains(page, "hcctl v"+version(t)) {
				t.Errorf("the man page is of another version: %.200s", page)
			}
		})
	}
}

// isFor holds a program to its system: built for it, without C, without paths of the machine, and without symbols.
func isFor(t *testing.T, program []byte, goos, goarch string) {
	t.Helper()
	info, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, s := range info.Settings {
		got[s.Key] = s.Value
	}
	for key, want := range map[string]string{"GOOS": goos, "GOARCH": goarch, "CGO_ENABLED": "0", "-trimpath": "true"} {
		if got[key] != want {
			t.Errorf("%s is %q, not %q", key, got[key], want)
		}
	}
	r := bytes.NewReader(program)
	switch goos {
	case "linux":
		f, err := elf.NewFile(r)
		if err != nil {
			t.Fatal(err)
		}
		if f.Section(".symtab") != nil || f.Section(".debug_info") != nil {
			t.Error("it is not stripped")
		}
		if libraries, err := f.ImportedLibraries(); err == nil && len(libraries) > 0 {
			t.Errorf("it needs %v", libraries)
		}
	case "darwin":
		f, err := macho.NewFile(r)
		if err != nil {
			t.Fatal(err)
		}
		if f.Section("__debug_info") != nil || f.Section("__zdebug_info") != nil {
			t.Error("it is not stripped")
		}
	case "windows":
		f, err := pe.NewFile(r)
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Symbols) > 0 || f.Section(".debug_info") != nil {
			t.Error("it is not stripped")
		}
	}
}

// archiveFor is a program's archive for a system.
func archiveFor(t *testing.T, program, goos, goarch string) artifact {
	t.Helper()
	for _, a := range archives(t, program) {
		if a.Goos == goos && a.Goarch == goarch {
			return a
		}
	}
	t.Fatalf("there is no archive of %s for %s on %s", program, goos, goarch)
	return artifact{}
}

// here is the archive for this machine.
func here(t *testing.T) artifact {
	t.Helper()
	return archiveFor(t, "hcctl", runtime.GOOS, runtime.GOARCH)
}

// TestVersion runs the program of this machine's archive.
func TestVersion(t *testing.T) {
	program := filepath.Join(t.TempDir(), "hcctl")
	if err := os.WriteFile(program, readArchive(t, here(t).Path)["hcctl"].text, 0o755); err != nil {
		t.Fatal(err)
	}
	var said struct{ Version, Commit, Date string }
	if err := json.Unmarshal([]byte(command(t, program, "version", "-o", "json")), &said); err != nil {
		t.Fatal(err)
	}
	if said.Version != "v"+version(t) || len(said.Commit) != 40 || said.Date != commitTime(t).Format(time.RFC3339) {
		t.Errorf("version says %+v", said)
	}
}

// TestChecksums compares every file that is handed on with the one list that is signed.
func TestChecksums(t *testing.T) {
	listed := map[string]string{}
	for line := range strings.Lines(string(read(t, filepath.Join(dist(t), "checksums.txt")))) {
		checksum, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if !ok {
			t.Fatalf("checksums.txt has the line %q", line)
		}
		listed[name] = checksum
	}
	for _, a := range slices.Concat(artifacts(t, "Archive"), artifacts(t, "Linux Package"), artifacts(t, "SBOM")) {
		if got := sum(read(t, a.Path)); listed[a.Name] != got {
			t.Errorf("checksums.txt says %q of %s, which has %s", listed[a.Name], a.Name, got)
		}
	}
	if listed["install.sh"] != sum(read(t, "install.sh")) {
		t.Error("checksums.txt does not have install.sh")
	}
}
