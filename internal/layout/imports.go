package layout

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// module is the path of hcctl's module; the sandbox's modules are below it.
const module = "github.com/hcctl/hcctl/"

// ImportRules are the depguard rules of a golangci-lint configuration.
type ImportRules map[string]importRule

type importRule struct {
	Files []string `yaml:"files"`
	Allow []string `yaml:"allow"`
	Deny  []struct {
		Package string `yaml:"pkg"`
	} `yaml:"deny"`
}

// ReadImportRules reads a golangci-lint configuration. A pattern for files that this package cannot read is an error.
func ReadImportRules(config []byte) (ImportRules, error) {
	var all struct {
		Linters struct {
			Settings struct {
				Depguard struct {
					Rules ImportRules `yaml:"rules"`
				} `yaml:"depguard"`
			} `yaml:"settings"`
		} `yaml:"linters"`
	}
	if err := yaml.Unmarshal(config, &all); err != nil {
		return nil, err
	}
	rules := all.Linters.Settings.Depguard.Rules
	if len(rules) == 0 {
		return nil, fmt.Errorf("the configuration has no depguard rules")
	}
	for name, rule := range rules {
		for _, pattern := range rule.Files {
			if _, ok := folderOf(pattern); !ok && pattern != "$all" && pattern != "!$test" {
				return nil, fmt.Errorf("rule %s: cannot read the pattern %q", name, pattern)
			}
		}
	}
	return rules, nil
}

// Names reports whether a rule names exactly this folder, not just one above it.
func (r ImportRules) Names(folder string) bool {
	for _, rule := range r {
		for _, pattern := range rule.Files {
			if named, _ := folderOf(pattern); named == folder && !strings.HasPrefix(pattern, "!") {
				return true
			}
		}
	}
	return false
}

// MayImport returns which folders of this repository a package's own code may import, sorted; its tests may import
// more. A folder stands for all below it, and the package's own folder is among them. The second result is false where
// no rule limits the package.
func (r ImportRules) MayImport(folder string) ([]string, bool) {
	found := map[string]bool{}
	limited := false
	for _, rule := range r {
		if !rule.covers(folder) || !rule.denies(module) {
			continue
		}
		limited = true
		for _, allowed := range rule.Allow {
			allowed = strings.TrimSuffix(allowed, "$")
			if other, ok := strings.CutPrefix(allowed, module); ok && !r.deniesTo(folder, allowed) {
				found[other] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found)), limited
}

// deniesTo reports whether any rule forbids the folder to import a package.
func (r ImportRules) deniesTo(folder, imported string) bool {
	for _, rule := range r {
		if rule.covers(folder) && rule.denies(imported) {
			return true
		}
	}
	return false
}

// covers reports whether the rule is about the folder's own code.
func (r importRule) covers(folder string) bool {
	covered := false
	for _, pattern := range r.Files {
		named, ok := folderOf(pattern)
		below := ok && (folder == named || strings.HasPrefix(folder, named+"/"))
		switch {
		case strings.HasPrefix(pattern, "!") && below:
			return false
		case pattern == "$all", below:
			covered = true
		}
	}
	return covered
}

// denies reports whether the rule forbids a package: as in depguard, the longest matching prefix decides.
func (r importRule) denies(imported string) bool {
	longest := func(prefixes []string) int {
		n := -1
		for _, prefix := range prefixes {
			prefix, exact := strings.CutSuffix(prefix, "$")
			if imported == prefix || !exact && strings.HasPrefix(imported, prefix) {
				n = max(n, len(prefix))
			}
		}
		return n
	}
	var denied []string
	for _, d := range r.Deny {
		denied = append(denied, d.Package)
	}
	return longest(denied) > longest(r.Allow)
}

// folderOf returns the folder that a pattern names, such as "${config-path}/pkg/step/**", or "**/sandbox/fault/**" of
// the sandbox's configuration. A pattern for each folder of a folder, which ends with "/*/**", counts for that folder.
func folderOf(pattern string) (string, bool) {
	rest, ok := strings.CutPrefix(strings.TrimPrefix(pattern, "!"), "${config-path}/")
	if !ok {
		rest, ok = strings.CutPrefix(rest, "**/")
	}
	folder, all := strings.CutSuffix(rest, "/**")
	folder = strings.TrimSuffix(folder, "/*")
	return folder, ok && all && !strings.Contains(folder, "*")
}
