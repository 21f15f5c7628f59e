package release_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // formats
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

// installed are files of every package.
var installed = []string{"usr/bin/hcctl", "usr/bin/kubectl-hcctl", "usr/bin/oc-hcctl", "usr/share/man/man1/hcctl.1",
	"usr/share/bash-completion/completions/hcctl", "usr/share/fish/vendor_completions.d/hcctl.fish",
	"usr/share/doc/hcctl/licences.txt", "usr/share/doc/hcctl/copyright"}

// packageOf is the package of a format for a processor.
func packageOf(t *testing.T, format, goarch string) string {
	t.Helper()
	for _, a := range artifacts(t, "Linux Package") {
		if a.Goarch == goarch && strings.HasSuffix(a.Name, "."+format) {
			return a.Path
		}
	}
	t.Fatalf("there is no .%s for %s", format, goarch)
	return ""
}

// processors are those that Linux packages are built for.
func processors(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, a := range artifacts(t, "Linux Package") {
		out = append(out, a.Goarch)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// run runs a Linux program and returns what it says; it has to succeed. That of another processor than this machine's
// runs in qemu's user mode: another processor, this machine's kernel.
func run(t *testing.T, goarch, program string, args ...string) string {
	t.Helper()
	if goarch == runtime.GOARCH {
		return command(t, program, args...)
	}
	emulator := "qemu-" + cmp.Or(map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[goarch], goarch) + "-static"
	needs(t, emulator, "qemu-user-static")
	return command(t, emulator, append([]string{program}, args...)...)
}

// older makes a package of an older hcctl, to upgrade from.
func older(t *testing.T, format, goarch string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "hcctl")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho older\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	info := nfpm.WithDefaults(&nfpm.Info{Name: "hcctl", Arch: goarch, Platform: "linux", Version: "v0.0.0",
		Maintainer: "test", Description: "older", MTime: time.Unix(0, 0),
		Overridables: nfpm.Overridables{Contents: files.Contents{{Source: program, Destination: "/usr/bin/hcctl"},
			{Source: program, Destination: "/usr/share/hcctl/gone-in-the-new-one"}}}})
	if err := nfpm.PrepareForPackager(info, format); err != nil {
		t.Fatal(err)
	}
	packager, err := nfpm.Get(format)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), packager.ConventionalFileName(info))
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := packager.Package(info, f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

// left are the files in a root that are not the package manager's own.
func left(t *testing.T, root string) []string {
	t.Helper()
	var out []string
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if strings.HasPrefix(path, "var/lib/") || strings.HasPrefix(path, "usr/lib/sysimage/") {
			return nil
		}
		if !d.IsDir() {
			out = append(out, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// isInstalled looks at a root as a user of that machine would.
func isInstalled(t *testing.T, root, goarch string) {
	t.Helper()
	have := left(t, root)
	for _, name := range installed {
		if !slices.Contains(have, name) {
			t.Errorf("%s is not installed", name)
		}
	}
	if slices.Contains(have, "usr/share/hcctl/gone-in-the-new-one") {
		t.Error("a file of the older version is left")
	}
	out := run(t, goarch, filepath.Join(root, "usr/bin/hcctl"), "version")
	if !strings.HasPrefix(out, "hcctl v"+version(t)+" linux/"+goarch+" ") {
		t.Errorf("it says %s", out)
	}
	out = run(t, goarch, filepath.Join(root, "usr/bin/kubectl-hcctl"), "help", "check")
	if !strings.Contains(out, "  kubectl hcctl check") {
		t.Errorf("the plugin says %s", out)
	}
}

// needs asks for a program of a Debian package; without a package it is called as the program is.
func needs(t *testing.T, program string, debian ...string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Fatalf("%s is needed: apt-get install %s", program, cmp.Or(strings.Join(debian, " "), program))
	}
}

// emptyDpkg makes dpkg's database of a root in which nothing is installed.
func emptyDpkg(t *testing.T, root string) {
	t.Helper()
	for _, dir := range []string{"info", "updates", "triggers"} {
		if err := os.MkdirAll(filepath.Join(root, "var/lib/dpkg", dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestDeb(t *testing.T) {
	needs(t, "dpkg")
	for _, goarch := range processors(t) {
		t.Run(goarch, func(t *testing.T) {
			root := t.TempDir()
			emptyDpkg(t, root)
			flags := []string{"--root=" + root, "--log=" + filepath.Join(t.TempDir(), "log")}
			if goarch != runtime.GOARCH {
				flags = append(flags, "--force-architecture")
			}
			dpkg := func(args ...string) string { return command(t, "dpkg", slices.Concat(flags, args)...) }
			dpkg("--install", older(t, "deb", goarch))
			dpkg("--install", packageOf(t, "deb", goarch))
			isInstalled(t, root, goarch)
			// A package of another processor has it in its name.
			name := "hcctl"
			if goarch != runtime.GOARCH {
				name += ":" + cmp.Or(map[string]string{"ppc64le": "ppc64el"}[goarch], goarch)
			}
			if out := dpkg("--verify", name); out != "" {
				t.Errorf("files differ from the package: %s", out)
			}
			dpkg("--purge", name)
			if have := left(t, root); len(have) > 0 {
				t.Errorf("these are left: %v", have)
			}
			dpkg("--install", packageOf(t, "deb", goarch))
			isInstalled(t, root, goarch)
		})
	}
}

func TestRPM(t *testing.T) {
	needs(t, "rpm")
	for _, goarch := range processors(t) {
		t.Run(goarch, func(t *testing.T) {
			root := t.TempDir()
			rpm := func(args ...string) string {
				return command(t, "rpm", append([]string{"--root", root, "--dbpath", "/var/lib/rpm"}, args...)...)
			}
			install := func(how, file string) {
				flags := []string{how}
				if goarch != runtime.GOARCH {
					flags = append(flags, "--ignorearch")
				}
				rpm(append(flags, file)...)
			}
			rpm("--initdb")
			// rpm of Debian does not know what is installed by dpkg; the packages need nothing.
			install("--install", older(t, "rpm", goarch))
			install("--upgrade", packageOf(t, "rpm", goarch))
			isInstalled(t, root, goarch)
			rpm("--verify", "hcctl")
			if out := rpm("--query", "--requires", "hcctl"); strings.Contains(out, "/") || strings.Contains(out, ".so") {
				t.Errorf("it requires %s", out)
			}
			rpm("--erase", "hcctl")
			if have := left(t, root); len(have) > 0 {
				t.Errorf("these are left: %v", have)
			}
			install("--install", packageOf(t, "rpm", goarch))
			isInstalled(t, root, goarch)
		})
	}
}

// TestAPK reads the package by its format: gzip members, the first with .PKGINFO, the second with the files.
func TestAPK(t *testing.T) {
	for _, goarch := range processors(t) {
		t.Run(goarch, func(t *testing.T) { isAPK(t, read(t, packageOf(t, "apk", goarch)), goarch) })
	}
}

func isAPK(t *testing.T, text []byte, goarch string) {
	t.Helper()
	var members [][]byte
	var raw [][]byte
	for offset := 0; offset < len(text); {
		counted := bytes.NewReader(text[offset:])
		gz, err := gzip.NewReader(counted)
		if err != nil {
			t.Fatal(err)
		}
		gz.Multistream(false)
		member, err := io.ReadAll(gz)
		if err != nil {
			t.Fatal(err)
		}
		end := len(text) - counted.Len()
		members, raw, offset = append(members, member), append(raw, text[offset:end]), end
	}
	if len(members) != 2 {
		t.Fatalf("it has %d members, not two", len(members))
	}
	// The first is a tar without its end, so that both read as one archive.
	all := readTar(t, bytes.NewReader(slices.Concat(members...)))
	about := string(all[".PKGINFO"].text)
	for key, want := range map[string]string{"pkgname": "hcctl",
		"arch": cmp.Or(map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[goarch], goarch), "license": "Apache-2.0",
		"datahash": regexp.QuoteMeta(sum(raw[1])),
		// The form that apk-tools requires of versions.
		"pkgver": `\d+(\.\d+)*(_(alpha|beta|pre|rc|p)\d*)?(-r\d+)?`} {
		if !regexp.MustCompile(`(?m)^` + key + ` = ` + want + `$`).MatchString(about) {
			t.Errorf("%s is not %s:\n%s", key, want, about)
		}
	}
	for _, name := range installed {
		if _, ok := all[name]; !ok {
			t.Errorf("it has no %s", name)
		}
	}
	if all["usr/bin/kubectl-hcctl"].link != "hcctl" {
		t.Errorf("kubectl-hcctl leads to %q", all["usr/bin/kubectl-hcctl"].link)
	}
}
