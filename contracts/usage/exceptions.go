package usage

import (
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

//go:embed exceptions.yaml
var exceptionsFile []byte

// Exceptions are words that no source shows, each with the reason why code may use it all the same.
type Exceptions struct {
	Directories []Directory
	Domains     []struct{ Domain, Why string }
	Words       []Reasoned
	// Older are words that the newest release of their operator no longer has, and code uses for those that do.
	Older []Reasoned
}

// Directory is one whose words are not looked up, but for those of some files of it.
type Directory struct {
	Directory, Why string
	Except         []string
}

// has reports whether it covers a file.
func (d Directory) has(file string) bool {
	return strings.HasPrefix(path.Dir(file)+"/", d.Directory+"/") && !slices.Contains(d.Except, path.Base(file))
}

// Reasoned are words with the reason why code uses them.
type Reasoned struct {
	Words []string
	Why   string
}

// ReadExceptions parses exceptions.yaml. An entry without a reason is an error.
func ReadExceptions() (*Exceptions, error) { return parseExceptions(exceptionsFile) }

func parseExceptions(raw []byte) (*Exceptions, error) {
	e := &Exceptions{}
	if err := yaml.UnmarshalStrict(raw, e); err != nil {
		return nil, err
	}
	reasons := map[string]string{}
	for _, f := range e.Directories {
		reasons["directory "+f.Directory] = f.Why
	}
	for _, d := range e.Domains {
		reasons["domain "+d.Domain] = d.Why
	}
	for _, w := range e.Words {
		for _, word := range w.Words {
			if _, twice := reasons[word]; twice {
				return nil, fmt.Errorf("%s is there twice", word)
			}
			reasons[word] = w.Why
		}
	}
	for _, w := range e.Older {
		for _, word := range w.Words {
			if _, twice := reasons["older "+word]; twice {
				return nil, fmt.Errorf("older %s is there twice", word)
			}
			reasons["older "+word] = w.Why
		}
	}
	for name, why := range reasons {
		if why == "" {
			return nil, fmt.Errorf("%s has no reason", name)
		}
	}
	return e, nil
}

// covering returns the entry that a use falls under, or "": a directory for what stands in it, besides labels and the
// like; a domain for those; a word.
func (e *Exceptions) covering(u Use) string {
	for _, w := range e.Words {
		if slices.Contains(w.Words, u.Word) {
			return u.Word
		}
	}
	if u.Role == Key {
		domain, _, _ := strings.Cut(u.Word, "/")
		for _, d := range e.Domains {
			if domain == d.Domain || strings.HasSuffix(domain, "."+d.Domain) {
				return "domain " + d.Domain
			}
		}
		return ""
	}
	for _, f := range e.Directories {
		if f.has(u.File) {
			return "directory " + f.Directory
		}
	}
	return ""
}

// all lists every entry, as covering names them.
func (e *Exceptions) all() []string {
	var names []string
	for _, f := range e.Directories {
		names = append(names, "directory "+f.Directory)
	}
	for _, d := range e.Domains {
		names = append(names, "domain "+d.Domain)
	}
	for _, w := range e.Words {
		names = append(names, w.Words...)
	}
	return names
}

// Judge returns what is wrong: uses of words that known does not have and no entry covers, and entries that cover none.
func (e *Exceptions) Judge(uses []Use, known func(string) bool) []string {
	needed := map[string]bool{}
	var wrong []string
	for _, u := range uses {
		if known(u.Word) {
			continue
		}
		entry := e.covering(u)
		if entry == "" {
			wrong = append(wrong, fmt.Sprintf("%s:%d: %s %s: no source in directory contracts shows it", u.File, u.Line, u.Role,
				u.Word))
		}
		needed[entry] = true
	}
	for _, name := range e.all() {
		if !needed[name] {
			wrong = append(wrong, fmt.Sprintf("exceptions.yaml: %s: nothing needs it any more", name))
		}
	}
	return wrong
}

// JudgeOlder returns what is wrong: uses of words that no newer release has and no entry of older names, and entries
// that name no such word.
func (e *Exceptions) JudgeOlder(uses []Use, gone func(string) bool) []string {
	needed := map[string]bool{}
	var wrong []string
	for _, u := range uses {
		older := func(w Reasoned) bool { return slices.Contains(w.Words, u.Word) }
		switch {
		case !gone(u.Word):
			continue
		case !slices.ContainsFunc(e.Older, older) && !needed[u.Word]:
			wrong = append(wrong, fmt.Sprintf("%s:%d: %s %s: the newest release of its operator does not have it any more",
				u.File, u.Line, u.Role, u.Word))
		}
		needed[u.Word] = true
	}
	for _, w := range e.Older {
		for _, word := range w.Words {
			if !needed[word] {
				wrong = append(wrong, fmt.Sprintf("exceptions.yaml: older %s: nothing needs it any more", word))
			}
		}
	}
	return wrong
}
