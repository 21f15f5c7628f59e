package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// platforms are hcctl's platforms: they differ a little in what is linked.
var platforms = []string{"linux", "darwin", "windows"}

var (
	licenceFile = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying)([-.].*)?$`)
	noticeFile  = regexp.MustCompile(`(?i)^notice([-.].*)?$`)
)

// directories is the go list template for module, version, the module's directory and the package's directory.
const directories = `{{if not .Standard}}{{with .Module}}{{if not .Main}}{{.Path}}{{"\t"}}` +
	`{{with .Replace}}{{.Version}}{{else}}{{.Version}}{{end}}{{"\t"}}{{.Dir}}{{"\t"}}{{$.Dir}}{{end}}{{end}}{{end}}`

// linked returns the modules of hcctl's packages on all platforms, and Go's standard library, sorted.
func linked(root string) ([]module, error) {
	library, err := standardLibrary()
	if err != nil {
		return nil, err
	}
	found := map[string]*module{library.path: &library}
	for _, platform := range platforms {
		cmd := exec.Command("go", "list", "-deps", "-f", directories, "./cmd/hcctl")
		cmd.Dir, cmd.Env, cmd.Stderr = root, append(os.Environ(), "GOOS="+platform, "GOARCH=amd64", "GOWORK=off"), os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", platform, err)
		}
		for line := range strings.Lines(string(out)) {
			at := strings.Split(strings.TrimSpace(line), "\t")
			if len(at) != 4 {
				return nil, fmt.Errorf("go list for %s tells of no module: %q", platform, line)
			}
			m := found[at[0]]
			if m == nil {
				m = &module{path: at[0], version: at[1]}
				found[at[0]] = m
			}
			if err := m.collect(at[2], at[3]); err != nil {
				return nil, err
			}
		}
	}
	if len(found) == 1 {
		return nil, errors.New("nothing is linked into hcctl: go list told of no module")
	}
	var out []module
	for _, path := range slices.Sorted(maps.Keys(found)) {
		out = append(out, *found[path])
	}
	return out, nil
}

// standardLibrary is Go's own. Its version is that of the builder, so none is named.
func standardLibrary() (module, error) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return module{}, fmt.Errorf("go env GOROOT: %w", err)
	}
	m := module{path: "Go's standard library", version: "of the compiler"}
	dir := strings.TrimSpace(string(goroot))
	return m, m.collect(dir, dir)
}

// collect reads the licences of a package's directory and of its parents within the module.
func (m *module) collect(root, dir string) error {
	for ; ; dir = filepath.Dir(dir) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			isLicence, isNotice := licenceFile.MatchString(e.Name()), noticeFile.MatchString(e.Name())
			if e.IsDir() || filepath.Ext(e.Name()) == ".go" || !isLicence && !isNotice {
				continue
			}
			name, err := filepath.Rel(root, filepath.Join(dir, e.Name()))
			if name = filepath.ToSlash(name); err != nil || m.has(name) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			switch {
			case err != nil:
				return err
			case isLicence:
				m.files = append(m.files, read(name, text))
			default:
				m.notices = append(m.notices, file{name: name, text: text})
			}
		}
		if dir == root {
			break
		}
	}
	byName := func(a, b file) int { return strings.Compare(a.name, b.name) }
	slices.SortFunc(m.files, byName)
	slices.SortFunc(m.notices, byName)
	return nil
}

func (m *module) has(name string) bool {
	return slices.ContainsFunc(slices.Concat(m.files, m.notices), func(f file) bool { return f.name == name })
}
