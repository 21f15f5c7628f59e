package each

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube/informer"
	"github.com/hcctl/hcctl/pkg/step"
)

// prepared holds the changes by the names of their objects.
type prepared struct {
	*fleet.Each
	runner  *runner
	t       *cmdutil.Target
	changes map[string]Change
	// absent lists the objects that do not exist and are left out.
	absent []fleet.ClusterName
}

// prepare decides the change of each object. The error concerns all objects, or the only one.
func (c *runner) prepare(ctx context.Context, t *cmdutil.Target, chosen []fleet.ClusterName) (*prepared, error) {
	var mu sync.Mutex
	p := &prepared{runner: c, t: t, changes: map[string]Change{}}
	if c.Waits || c.Deletes {
		t.SharedReads = informer.NewSharedReads(ctx)
	}
	if c.Begin != nil {
		if err := c.Begin(ctx, t, chosen); err != nil {
			return nil, err
		}
	}
	var err error
	p.Each, err = fleet.PrepareEach(ctx, chosen, c.run.ParallelReads(),
		func(one fleet.ClusterName) ([]step.Step, error) {
			change, err := c.Prepare(ctx, t, one)
			if err != nil {
				return nil, cmdutil.NameFlags(err)
			}
			mu.Lock()
			defer mu.Unlock()
			p.changes[one.Namespace+"/"+one.Name] = change
			return change.Steps, nil
		})
	if c.IgnoreAbsent {
		p.absent = p.TakeAbsent()
	}
	var absent []error
	for _, m := range p.Members {
		if c.alone {
			return p, cmp.Or(m.Err, err)
		}
		if c.Strict && hostedcluster.IsNotFound(m.Err) {
			absent = append(absent, m.Err)
		}
	}
	return p, cmp.Or(err, errors.Join(absent...))
}

// only returns the change of a single named object, or an empty one if the object does not exist.
func (p *prepared) only() Change {
	for _, m := range p.Members {
		return p.changes[m.Subject()]
	}
	return Change{}
}

// steps returns the steps of all changes.
func (p *prepared) steps() []step.Step {
	switch {
	case p.runner.alone:
		return p.only().Steps
	case p.runner.Order != nil:
		return p.runner.Order(p.Steps())
	}
	return p.Steps()
}

// creating returns the names of clusters that another client may still be creating.
func (p *prepared) creating() []string {
	var names []string
	for _, m := range p.Members {
		if p.changes[m.Subject()].Creating {
			names = append(names, m.Subject())
		}
	}
	return names
}

// changeable returns the number of objects that the command can change.
func (p *prepared) changeable() int {
	n := 0
	for _, m := range p.Prepared() {
		if !p.changes[m.Subject()].None {
			n++
		}
	}
	return n
}

// question returns one question for all objects, with a line about each. If it destroys more than one, the user
// answers with their number.
func (p *prepared) question() cmdutil.Question {
	w := p.runner.Work
	if p.runner.alone {
		one := p.only()
		q := cmdutil.Question{Command: w.Command, Destroys: one.Destroys, Details: one.Details, Ask: one.Question}
		q.Word = one.Word
		return q
	}
	if w.Question != nil {
		return *w.Question
	}
	q := cmdutil.Question{Command: w.Command,
		Ask: cmdutil.Textf(w.Ask+", on %s?", plural.Count(p.changeable(), p.runner.noun), p.t.Named())}
	if p.changeable() == 1 {
		for _, m := range p.Prepared() {
			if one := p.changes[m.Subject()]; !one.None {
				q.Ask, q.Word = cmp.Or(one.Question, q.Ask), one.Word
			}
		}
	}
	if line := StillCreated(p.creating()); line != "" {
		q.Details = append(q.Details, line)
	}
	for _, m := range p.Members {
		if m.Err != nil {
			q.Details = append(q.Details, cmdutil.Textf("  %s: left as it is: %s", m.Subject(), cmdutil.Sentence(m.Err)))
			continue
		}
		c := p.changes[m.Subject()]
		if c.None {
			continue
		}
		q.Destroys = q.Destroys || c.Destroys
		line := cmdutil.Textf("  %s", m.Subject())
		if c.About != "" {
			line += ": " + c.About
		}
		q.Details = append(q.Details, line)
		for _, detail := range c.Details {
			q.Details = append(q.Details, "  "+detail)
		}
	}
	if q.Destroys {
		q.Count = p.changeable()
	}
	return q
}

// tellNotes prints the notes of each change.
func (p *prepared) tellNotes() {
	for _, m := range p.Members {
		for _, note := range p.changes[m.Subject()].Notes {
			if p.runner.alone {
				cmdutil.Tell(p.runner.a.Streams.Err, "Note: %s\n", note)
			} else {
				cmdutil.Tell(p.runner.a.Streams.Err, "Note on %s: %s\n", m.Subject(), note)
			}
		}
	}
}

// tellRemoval prints which of the objects to delete do not exist, and what of each stays, and why.
func (p *prepared) tellRemoval() {
	for _, one := range p.absent {
		cmdutil.Tell(p.runner.a.Streams.Err, "Hosted cluster %s/%s does not exist, and nothing of it is left.\n",
			one.Namespace, one.Name)
	}
	for _, m := range p.Members {
		of := ", of " + m.Subject()
		if p.runner.alone {
			of = ""
		}
		for _, left := range p.changes[m.Subject()].Left {
			cmdutil.Tell(p.runner.a.Streams.Err, "Left as it is%s: %s\n", of, left)
		}
	}
}
