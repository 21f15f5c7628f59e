package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// distribution is what is distributed together, with one page and one file of texts.
type distribution struct {
	page, intro string
	// programs are packages by the directory of their module, relative to the root.
	programs map[string]string
	// platforms differ slightly in what is linked.
	platforms []string
	allowed   licences
}

var hcctl = distribution{
	page: "docs/dev/licences.md", platforms: []string{"linux", "darwin", "windows"},
	programs: map[string]string{".": "./cmd/hcctl"}, intro: hcctlIntro, allowed: allowed(),
}

var sandbox = distribution{
	page: "docs/dev/licences-sandbox.md", platforms: []string{"linux"}, intro: sandboxIntro,
	allowed: allowedInSandbox(),
	programs: map[string]string{"sandbox": ".", "sandbox/olm": ".", "sandbox/ocm": ".",
		"sandbox/metallb": "go.universe.tf/metallb/controller"},
}

var (
	// LICENSE.docs applies to documents, which are in no program.
	licenceFile = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying)([-.].*)?$`)
	docsFile    = regexp.MustCompile(`(?i)\.docs$`)
	noticeFile  = regexp.MustCompile(`(?i)^notice([-.].*)?$`)
)

// directories is the go list template for module, version, the module's directory and the package's directory.
const directories = `{{if not .Standard}}{{with .Module}}{{if not .Main}}{{.Path}}{{"\t"}}` +
	`{{with .Replace}}{{.Version}}{{else}}{{.Version}}{{end}}{{"\t"}}{{.Dir}}{{"\t"}}{{$.Dir}}{{end}}{{end}}{{end}}`

// linked returns the modules of the programs' packages on all platforms, and Go's standard library, sorted. Programs of
// several modules can have several versions of one.
func (d distribution) linked(root string) ([]module, error) {
	library, err := standardLibrary()
	if err != nil {
		return nil, err
	}
	found := map[string]*module{library.path: &library}
	for dir, program := range d.programs {
		for _, platform := range d.platforms {
			cmd := exec.Command("go", "list", "-deps", "-f", directories, program)
			cmd.Dir, cmd.Stderr = filepath.Join(root, dir), os.Stderr
			cmd.Env = append(os.Environ(), "GOOS="+platform, "GOARCH=amd64", "GOWORK=off")
			out, err := cmd.Output()
			if err != nil {
				return nil, fmt.Errorf("go list of %s for %s: %w", dir, platform, err)
			}
			before := len(found)
			for line := range strings.Lines(string(out)) {
				at := strings.Split(strings.TrimSpace(line), "\t")
				if len(at) != 4 {
					return nil, fmt.Errorf("go list of %s for %s tells of no module: %q", dir, platform, line)
				}
				m := found[at[0]+" "+at[1]]
				if m == nil {
					m = &module{path: at[0], version: at[1]}
					found[at[0]+" "+at[1]] = m
				}
				if err := m.collect(at[2], at[3]); err != nil {
					return nil, err
				}
			}
			if before == 1 && len(found) == 1 {
				return nil, fmt.Errorf("nothing is linked into %s: go list told of no module", dir)
			}
		}
	}
	var out []module
	for _, path := range slices.Sorted(maps.Keys(found)) {
		out = append(out, *found[path])
	}
	return out, nil
}

// standardLibrary returns Go's standard library. Its version is the builder's, so it is not named.
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
			if e.IsDir() || filepath.Ext(e.Name()) == ".go" || docsFile.MatchString(e.Name()) || !isLicence && !isNotice {
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
