package contracts

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Word is one value of the facts: a condition type, a reason, a label, the name of an object.
type Word struct {
	Value string
	// Component is the operator that uses it, Line where its file says so.
	Component string
	Line      int
	// Releases have it; an empty list means all of them. Source is "" where the file names none beside it.
	Releases Releases
	Source   string
}

// Words has every word of the facts.
type Words struct {
	byValue  map[string][]Word
	patterns []pattern
}

// pattern is a name of which a part is another object's, such as local-pv-<hash>.
type pattern struct {
	match *regexp.Regexp
	word  Word
}

// notWords are the keys whose values are about a fact: names of constants in a source, places, remarks.
var notWords = regexp.MustCompile(`^(const|suffix_const|sources?|.*_source|refs|warning|meaning|why|pairs)$`)

// inReleases is a key that says which releases its value is for, such as "4.12-4.15".
var inReleases = regexp.MustCompile(`^\d+\.\d+(\+|-\d+\.\d+)?$`)

// separators are between the words of a sentence.
var separators = regexp.MustCompile(`[^A-Za-z0-9./_-]+`)

// placeholder is the part of a name that differs; patterned is a name that has one.
var (
	placeholder = regexp.MustCompile(`<[^<>]+>|\*$`)
	patterned   = regexp.MustCompile(`[A-Za-z0-9./_-]*(<[^<>]+>[A-Za-z0-9./_-]*)+|[A-Za-z0-9./_-]+-\*`)
)

// domain is what comes before the slash of a label or an annotation.
var domain = regexp.MustCompile(`^([a-z0-9-]+\.)+[a-z]+$`)

// ReadWords parses every component's facts.
func ReadWords() (*Words, error) {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, err
	}
	w := &Words{byValue: map[string][]Word{}}
	for _, e := range entries {
		if path.Ext(e.Name()) != ".yaml" {
			continue
		}
		raw, err := files.ReadFile(e.Name())
		if err != nil {
			return nil, err
		}
		var root yaml.Node
		if err := yaml.Unmarshal(raw, &root); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		if err := w.walk(&root, Word{Component: strings.TrimSuffix(e.Name(), ".yaml")}); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
	}
	return w, nil
}

// Values are the values of one list of a component's facts, in its order, such as printable_statuses of kubevirt.
func Values(component, list string) ([]string, error) {
	raw, err := files.ReadFile(component + ".yaml")
	if err != nil {
		return nil, err
	}
	var lists map[string]yaml.Node
	if err := yaml.Unmarshal(raw, &lists); err != nil {
		return nil, fmt.Errorf("%s: %w", component, err)
	}
	var facts []struct{ Value string }
	node, found := lists[list]
	if !found {
		return nil, fmt.Errorf("%s has no list %s", component, list)
	}
	if err := node.Decode(&facts); err != nil {
		return nil, fmt.Errorf("%s: %s: %w", component, list, err)
	}
	var out []string
	for _, f := range facts {
		out = append(out, f.Value)
	}
	return out, nil
}

// walk collects the words of a node. What is known of it, such as its releases, comes from the nodes above.
func (w *Words) walk(node *yaml.Node, known Word) error {
	switch node.Kind {
	case yaml.MappingNode:
		return w.walkMapping(node, known)
	case yaml.DocumentNode, yaml.SequenceNode:
		for _, n := range node.Content {
			if err := w.walk(n, known); err != nil {
				return err
			}
		}
	case yaml.ScalarNode:
		known.Line = node.Line
		w.add(node.Value, known)
	}
	return nil
}

func (w *Words) walkMapping(node *yaml.Node, known Word) error {
	for i := 0; i < len(node.Content); i += 2 {
		key, value := node.Content[i].Value, node.Content[i+1]
		if value.Kind != yaml.ScalarNode {
			continue
		}
		switch key {
		case "source":
			known.Source = value.Value
		case "in":
			releases, err := ParseReleases(value.Value, Release{Major: open})
			if err != nil {
				return fmt.Errorf("line %d: %w", value.Line, err)
			}
			known.Releases = releases
		}
	}
	for i := 0; i < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if notWords.MatchString(key.Value) || key.Value == "in" {
			continue
		}
		below := known
		if inReleases.MatchString(key.Value) {
			releases, err := ParseReleases(key.Value, Release{Major: open})
			if err != nil {
				return fmt.Errorf("line %d: %w", key.Line, err)
			}
			below.Releases = releases
		} else {
			known.Line = key.Line
			w.add(key.Value, known)
		}
		if err := w.walk(value, below); err != nil {
			return err
		}
	}
	return nil
}

// add takes a value, and each word of it if it is a sentence or a list.
func (w *Words) add(value string, word Word) {
	if value == "" {
		return
	}
	word.Value = value
	w.byValue[value] = append(w.byValue[value], word)
	for _, name := range patterned.FindAllString(value, -1) {
		w.addPattern(name, word)
	}
	for _, part := range separators.Split(value, -1) {
		if part = strings.Trim(part, "./-"); part != "" && part != value {
			word.Value = part
			w.byValue[part] = append(w.byValue[part], word)
		}
	}
}

// addPattern takes a name with placeholders, unless hardly anything of it is fixed.
func (w *Words) addPattern(text string, word Word) {
	fixed := placeholder.ReplaceAllString(text, "")
	if len(fixed) < 4 {
		return
	}
	var parts []string
	for _, part := range placeholder.Split(text, -1) {
		parts = append(parts, regexp.QuoteMeta(part))
	}
	word.Value = text
	w.patterns = append(w.patterns, pattern{regexp.MustCompile("^" + strings.Join(parts, `[A-Za-z0-9.%-]*`) + "$"), word})
}

// Find returns where the facts have that word; nothing if they do not.
func (w *Words) Find(value string) []Word {
	if found := w.byValue[value]; len(found) > 0 {
		return found
	}
	var found []Word
	for _, p := range w.patterns {
		if p.match.MatchString(value) {
			found = append(found, p.word)
		}
	}
	return found
}

// open is the last release of a list that goes on.
const open = 99

// Gone reports whether the facts have the word for older releases alone: none that has it says so of the newest release
// of its operator, or of none in particular.
func (w *Words) Gone(value string) bool {
	found := w.Find(value)
	for _, word := range found {
		if len(word.Releases) == 0 || word.Releases.Has(Release{Major: open}) ||
			word.Releases.Has(w.newest(word)) {
			return false
		}
	}
	return len(found) > 0
}

// newest is the newest release that the facts have of the word's operator. Its numbers begin with 2, 4 and 5; some
// files have those of MetalLB itself, of OpenShift GitOps or of Argo CD too, which begin with 0, 1 and 3.
func (w *Words) newest(of Word) Release {
	others := func(r Release) int {
		if r.Major < 2 || r.Major == 3 {
			return r.Major
		}
		return -1
	}
	var newest Release
	for _, words := range w.byValue {
		for _, word := range words {
			if word.Component != of.Component {
				continue
			}
			for _, s := range word.Releases {
				if s.Last.Major != open && others(s.Last) == others(of.Releases[0].Last) && newest.Before(s.Last) {
					newest = s.Last
				}
			}
		}
	}
	return newest
}

// Domains returns the domains before a slash in the words, such as storage.openshift.com.
func (w *Words) Domains() map[string]bool {
	all := map[string]bool{}
	for value := range w.byValue {
		if name, _, ok := strings.Cut(value, "/"); ok && domain.MatchString(name) {
			all[name] = true
		}
	}
	return all
}
