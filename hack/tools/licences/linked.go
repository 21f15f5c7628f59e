package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// platforms are those that hcctl is built for: what is linked differs a little.
var platforms = []string{"linux", "darwin", "windows"}

var (
	licenceFile = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying)([-.].*)?$`)
	noticeFile  = regexp.MustCompile(`(?i)^notice([-.].*)?$`)
)

// listed is what go list tells of a package.
type listed struct {
	Dir      string
	Standard bool
	Module   *struct {
		Path, Version, Dir string
		Main               bool
		Replace            *struct{ Path, Version, Dir string }
	}
}

// linked are the modules of hcctl's packages on all platforms, and Go's own library, sorted.
func linked(root string) ([]module, error) {
	found := map[string]*module{}
	seen := map[string]bool{}
	for _, platform := range platforms {
		packages, err := list(root, platform)
		if err != nil {
			return nil, err
		}
		for _, p := range packages {
			if p.Module == nil || p.Module.Main || seen[p.Dir] {
				continue
			}
			seen[p.Dir] = true
			m := found[p.Module.Path]
			if m == nil {
				m = &module{path: p.Module.Path, version: p.Module.Version}
				found[p.Module.Path] = m
			}
			if err := m.collect(p.Module.Dir, p.Dir); err != nil {
				return nil, err
			}
		}
	}
	if len(found) == 0 {
		return nil, errors.New("nothing is linked into hcctl: go list told of no module")
	}
	library, err := standardLibrary()
	if err != nil {
		return nil, err
	}
	out := []module{library}
	for _, m := range found {
		out = append(out, *m)
	}
	slices.SortFunc(out, func(a, b module) int { return strings.Compare(a.path, b.path) })
	return out, nil
}

// standardLibrary is Go's own. Its version is that of whoever builds, so that none is told.
func standardLibrary() (module, error) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return module{}, fmt.Errorf("go env GOROOT: %w", err)
	}
	m := module{path: "Go's standard library", version: "of the compiler"}
	dir := strings.TrimSpace(string(goroot))
	return m, m.collect(dir, dir)
}

// collect reads the licences of a package's folder and of those above it within the module.
func (m *module) collect(root, dir string) error {
	for {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			name, err := filepath.Rel(root, filepath.Join(dir, e.Name()))
			isLicence, isNotice := licenceFile.MatchString(e.Name()), noticeFile.MatchString(e.Name())
			if err != nil || e.IsDir() || filepath.Ext(name) == ".go" || !isLicence && !isNotice || m.has(name) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return err
			}
			if isLicence {
				m.files = append(m.files, read(filepath.ToSlash(name), text))
			} else {
				m.notices = append(m.notices, file{name: filepath.ToSlash(name), text: text})
			}
		}
		if dir == root {
			break
		}
		dir = filepath.Dir(dir)
	}
	byName := func(a, b file) int { return strings.Compare(a.name, b.name) }
	slices.SortFunc(m.files, byName)
	slices.SortFunc(m.notices, byName)
	return nil
}

func (m *module) has(name string) bool {
	return slices.ContainsFunc(slices.Concat(m.files, m.notices), func(f file) bool { return f.name == filepath.ToSlash(name) })
}

// list asks go for every package of hcctl on a platform.
func list(root, platform string) ([]listed, error) {
	cmd := exec.Command("go", "list", "-deps", "-json=Dir,Standard,Module", "./cmd/hcctl")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOOS="+platform, "GOARCH=amd64", "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			return nil, fmt.Errorf("go list for %s: %s", platform, bytes.TrimSpace(failed.Stderr))
		}
		return nil, fmt.Errorf("go list: %w", err)
	}
	var packages []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if !p.Standard {
			if p.Module != nil && p.Module.Replace != nil {
				p.Module.Version, p.Module.Dir = p.Module.Replace.Version, p.Module.Replace.Dir
			}
			if _, err := os.Stat(p.Dir); errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("%s is not there", p.Dir)
			}
			packages = append(packages, p)
		}
	}
	return packages, nil
}
