package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/internal/suggest"
	"github.com/hcctl/hcctl/pkg/prereqs"
	"github.com/hcctl/hcctl/pkg/step"
)

// Validate parses the settings. It returns an *option.Error for values that cannot work on any cluster.
func (b Bootstrap) Validate() (prereqs.Validated, error) {
	valid, err := b.Options().Validate()
	if err == nil {
		err = b.validateRun(valid)
	}
	return valid, err
}

// validateRun checks the settings of the whole run.
func (b Bootstrap) validateRun(options prereqs.Validated) error {
	if b.Timeout <= 0 {
		return option.Errorf("timeout", b.Timeout, "give a time above zero, such as 1h or 90m")
	}
	if b.TroubleTimeout < 0 {
		return option.Errorf("troubleTimeout", b.TroubleTimeout, "it cannot be negative; 0 means no limit of its own")
	}
	if b.Parallel < 0 {
		return option.Errorf("parallel", b.Parallel, "it cannot be negative; 0 means no limit")
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
				return unknownName(fmt.Sprintf("%s[%d]", list.path, i), err)
			}
		}
	}
	return b.validateTimeouts(graph)
}

func (b Bootstrap) validateTimeouts(graph *step.Graph) error {
	ids := graph.IDs()
	for _, name := range slices.Sorted(maps.Keys(b.Timeouts)) {
		if !slices.Contains(ids, name) {
			return unknownName("timeouts."+name, &step.UnknownNameError{Name: name, Known: ids})
		}
		if b.Timeouts[name] == 0 {
			return option.Errorf("timeouts."+name, nil, "give a time above zero, such as 45m")
		}
	}
	return nil
}

// FlagOf returns the flag of the field of hcctl.yaml that an error is about, without dashes; "" if the field has
// none. known is false if there is no such field.
func FlagOf(e *option.Error) (flag string, known bool) {
	f, known := table(Fields()).at(e.Field)
	return f.Flag, known && e.Pool == nil
}

// unknownName suggests names of steps that may have been meant, and lists the groups.
func unknownName(field string, err error) error {
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
	p := &option.Error{Field: field, Detail: err.Error()}
	if strings.HasPrefix(field, "timeouts.") {
		p.Detail = "there is no step of that ID" // a time for a whole group would not define those of its steps
	}
	if words := suggest.Words(unknown.Name, unknown.Known); len(words) > 0 {
		p.Detail += "; did you mean " + strings.Join(words, " or ") + "?"
	}
	p.Next = hint.New("the groups are %s; %s lists the IDs of the steps", strings.Join(groups, ", "),
		hint.Run("check").Flag("o", "name"))
	return p
}

// Locate returns an *option.Error with its line in the document, or nil if the document does not set that field.
func (f *File) Locate(err error) error {
	var p *option.Error
	if !errors.As(err, &p) {
		return nil
	}
	path := p.Field
	for i := 0; ; i++ { // the item of a list that has the value
		item, ok := f.at[fmt.Sprintf("%s[%d]", p.Field, i)]
		if !ok {
			break
		}
		if item.text == p.Text() {
			path = fmt.Sprintf("%s[%d]", p.Field, i)
		}
	}
	at, ok := f.at[path]
	if !ok {
		return nil
	}
	return &Error{File: f.name, Line: at.line, Path: path, Message: strings.TrimPrefix(p.Sentence(), " "), Next: p.Next}
}
