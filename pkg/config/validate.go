package config

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hcctl/hcctl/internal/suggest"
	"github.com/hcctl/hcctl/pkg/prereqs"
	"github.com/hcctl/hcctl/pkg/step"
)

// Problem is a value that cannot work, whatever the cluster is.
type Problem struct {
	// Path is the field, such as "only[1]" or "loadBalancer.metallbRanges".
	Path string
	// Flag says the same on the command line, without dashes; empty where there is none.
	Flag string
	// Message reads on after the name of the field or flag: it has the value, what is wrong and what would be right.
	Message string
	// Next is the next step for a person; may be empty.
	Next string
}

// Error names the flag, or else the field.
func (p *Problem) Error() string {
	if p.Flag != "" {
		return "--" + p.Flag + p.Message
	}
	return p.Path + p.Message
}

// Hint is the next step.
func (p *Problem) Hint() string { return p.Next }

// ExitCode is 2: wrong usage.
func (*Problem) ExitCode() int { return 2 }

// Validate returns a *Problem if something cannot work whatever the cluster is.
func (b Bootstrap) Validate() error {
	options := b.Options()
	if err := options.Validate(); err != nil {
		return problemOf(err)
	}
	if b.Timeout <= 0 {
		return &Problem{Path: "timeout", Flag: "timeout",
			Message: fmt.Sprintf(" %s: give a time above zero, such as 1h or 90m", b.Timeout)}
	}
	if b.TroubleTimeout < 0 {
		return &Problem{Path: "troubleTimeout", Flag: "trouble-timeout",
			Message: fmt.Sprintf(" %s: it cannot be negative; 0 means no limit of its own", b.TroubleTimeout)}
	}
	if b.Parallel < 0 {
		return &Problem{Path: "parallel", Flag: "parallel",
			Message: fmt.Sprintf(" %d: it cannot be negative; 0 means no limit", b.Parallel)}
	}
	graph, err := prereqs.Graph(options)
	if err != nil {
		return err
	}
	for _, list := range []struct {
		path  string
		names []string
	}{{"only", b.Only}, {"skip", b.Skip}} {
		for i, name := range list.names {
			if _, err := graph.Named(name); err != nil {
				return unknownName(fmt.Sprintf("%s[%d]", list.path, i), list.path, err)
			}
		}
	}
	return b.validateTimeouts(graph)
}

func (b Bootstrap) validateTimeouts(graph *step.Graph) error {
	ids := graph.IDs()
	for _, name := range sortedKeys(b.Timeouts) {
		if !slices.Contains(ids, name) {
			return unknownName("timeouts."+name, "", &step.UnknownNameError{Name: name, Known: ids})
		}
		if b.Timeouts[name] == 0 {
			return &Problem{Path: "timeouts." + name, Message: ": give a time above zero, such as 45m"}
		}
	}
	return nil
}

// named is how the library's errors begin: with a flag, or with the path of a field that has none.
var named = regexp.MustCompile(`^(--[a-z0-9-]+|operators\.[^\s:]+)`)

// problemOf finds in an error of the library which field it is about.
func problemOf(err error) error {
	name := named.FindString(err.Error())
	message := strings.TrimPrefix(err.Error(), name)
	flag, ok := strings.CutPrefix(name, "--")
	if !ok {
		return &Problem{Path: name, Message: message}
	}
	for _, f := range Fields() {
		if f.Flag == flag {
			return &Problem{Path: f.Path, Flag: flag, Message: message}
		}
	}
	return err
}

// unknownName says what a name of a step may have meant, and which groups there are.
func unknownName(path, flag string, err error) error {
	var unknown *step.UnknownNameError
	if !errors.As(err, &unknown) {
		return err
	}
	var groups []string
	for _, name := range unknown.Known {
		if !strings.Contains(name, "/") {
			groups = append(groups, name)
		}
	}
	p := &Problem{Path: path, Flag: flag, Message: fmt.Sprintf(": %v", err)}
	if flag == "" {
		p.Message = ": there is no step of that ID" // a time for a whole group would say nothing about its steps
	}
	if words := suggest.Words(unknown.Name, unknown.Known); len(words) > 0 {
		p.Message += "; did you mean " + strings.Join(words, " or ") + "?"
	}
	p.Next = fmt.Sprintf("the groups are %s; hcctl check -o name lists the IDs of the steps", strings.Join(groups, ", "))
	return p
}

// Locate names the line of the document that a *Problem is about, if the document says that field at all; else it
// returns nil.
func (f *File) Locate(err error) error {
	var p *Problem
	if !errors.As(err, &p) {
		return nil
	}
	path := p.Path
	for i := 0; ; i++ { // the item of a list that the message quotes
		item, ok := f.at[fmt.Sprintf("%s[%d]", p.Path, i)]
		if !ok {
			break
		}
		if strings.HasPrefix(p.Message, fmt.Sprintf(" %q", item.text)) {
			path = fmt.Sprintf("%s[%d]", p.Path, i)
		}
	}
	at, ok := f.at[path]
	if !ok {
		return nil
	}
	return &Error{File: f.name, Line: at.line, Path: path, Message: strings.TrimPrefix(p.Message, " "), Next: p.Next}
}

func sortedKeys[T any](m map[string]T) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
