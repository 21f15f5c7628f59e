package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// licences maps allowed licences of modules to their conditions besides passing on the text.
type licences map[string]string

// allowed returns the licences that may be linked into hcctl.
func allowed() licences {
	return licences{
		"MIT": "", "Apache-2.0": "", "BSD-2-Clause": "", "BSD-3-Clause": "", "ISC": "",
		"MPL-2.0": "files under it that we change stay under it and have to be published; none is changed",
	}
}

// allowedInSandbox returns the licences that may be linked into the sandbox, which are one more.
func allowedInSandbox() licences {
	all := allowed()
	all["EPL-2.0"] = "its source has to be offered: the Go module proxy has it by this path and version; none is changed"
	return all
}

func (l licences) names() string { return strings.Join(slices.Sorted(maps.Keys(l)), ", ") }

// recognised is the minimum share of a file, in percent, that must be text of known licences. The rest is mostly
// copyright notices; if it is larger, a user has to read it.
const recognised = 75

// module is a linked module.
type module struct {
	path, version string
	// files are its licences, including those of linked directories. notices are files that an Apache licence requires.
	files, notices []file
}

type file struct {
	// name is its path within the module.
	name  string
	text  []byte
	names []string
	// percent is the share of the text that is a known licence.
	percent float64
}

// read finds the licences of a text.
func read(name string, text []byte) file {
	found := licensecheck.Scan(text)
	f := file{name: name, text: text, percent: found.Percent}
	for _, m := range found.Match {
		if !m.IsURL && !slices.Contains(f.names, m.ID) {
			f.names = append(f.names, m.ID)
		}
	}
	slices.Sort(f.names)
	return f
}

// judge fails for a module without a licence, with an unknown one, or with one that is not allowed.
func (m module) judge(allowed licences) error {
	if len(m.files) == 0 {
		return fmt.Errorf("%s %s has no file with a licence", m.path, m.version)
	}
	var bad []error
	for _, f := range m.files {
		switch i := slices.IndexFunc(f.names, func(name string) bool { _, ok := allowed[name]; return !ok }); {
		case i >= 0:
			bad = append(bad, fmt.Errorf("%s %s: %s has the licence %s, which is none of %s", m.path, m.version, f.name,
				f.names[i], allowed.names()))
		case len(f.names) == 0 || f.percent < recognised:
			bad = append(bad, fmt.Errorf("%s %s: %s is no licence that is known (%.0f %% of it are): read it", m.path, m.version,
				f.name, f.percent))
		}
	}
	return errors.Join(bad...)
}
