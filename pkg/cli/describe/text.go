package describe

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/hcctl/hcctl/pkg/cli/events"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster/describe"
	"github.com/hcctl/hcctl/pkg/report"
)

// maxShownChars is the maximum number of characters of a value on the screen; -o json has the whole value.
const maxShownChars = 300

// printDescription prints the sections of a description. now is the API server's time.
func printDescription(a *cmdutil.Factory, now time.Time, d *describe.Description) error {
	age := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return duration.HumanDuration(max(0, now.Sub(t)))
	}
	head := []string{d.Health.String()}
	if d.Phase != "" {
		head = append(head, string(d.Phase))
	}
	if d.Cluster != "" {
		head = append(head, "of hosted cluster "+d.Cluster)
	}
	cmdutil.Tell(a.Streams.Out, "%s, created %s ago\n", strings.Join(head, ", "), age(d.Created))
	if d.Message != "" {
		cmdutil.Tell(a.Streams.Out, "%s\n", cut(d.Message))
	}
	if err := printSettings(a, d.Settings); err != nil {
		return err
	}
	if err := printConditions(a, d.Conditions, age); err != nil {
		return err
	}
	sections := []struct {
		title    string
		headings []string
		rows     [][]string
	}{
		{"Addresses", nil, addressRows(d.Addresses)},
		{"Releases", []string{"VERSION", "STATE", "BEGAN", "TOOK", "IMAGE"}, releaseRows(d.Releases, age)},
		{"Node pools", []string{"NAME", "HEALTH", "STATE"}, poolRows(d.NodePools)},
		{"Worker VMs", []string{"NAME", "POOL", "STATUS", "READY", "NODE", "ADDRESSES", "AGE"}, machineRows(d.Machines, age)},
		{eventsTitle(d), []string{"AGE", "TYPE", "REASON", "OBJECT", "MESSAGE"}, events.EventRows(d.Events, age)},
		{"Not read", nil, gapRows(d.NotRead)},
	}
	for _, s := range sections {
		if len(s.rows) == 0 {
			continue
		}
		if s.headings != nil {
			s.rows = append([][]string{s.headings}, s.rows...)
		}
		if err := printSection(a, s.title, s.rows); err != nil {
			return err
		}
	}
	return nil
}

// printSection prints indented rows below a title.
func printSection(a *cmdutil.Factory, title string, rows [][]string) error {
	if err := cmdutil.Say(a.Streams.Out, "\n%s\n", title); err != nil {
		return err
	}
	for i := range rows {
		for j := range rows[i] {
			rows[i][j] = cut(rows[i][j])
		}
		rows[i] = append([]string{""}, rows[i]...)
	}
	return (&cmdutil.Table{W: a.Streams.Out}).Write(rows...)
}

func cut(text string) string {
	if runes := []rune(text); len(runes) > maxShownChars {
		return string(runes[:maxShownChars]) + "…"
	}
	return text
}

// printSettings prints the settings under the headings of the help.
func printSettings(a *cmdutil.Factory, settings []describe.Setting) error {
	var groups []string
	rows := map[string][][]string{}
	for _, s := range settings {
		if rows[s.Group] == nil {
			groups = append(groups, s.Group)
		}
		name := s.Option
		if s.Flag != "" {
			name = "--" + s.Flag
		}
		rows[s.Group] = append(rows[s.Group], []string{name, s.Value})
	}
	for _, group := range groups {
		title := "Settings"
		if group != "" {
			title += ": " + group
		}
		if err := printSection(a, title, rows[group]); err != nil {
			return err
		}
	}
	return nil
}

// printConditions prints the conditions that are not good in full, and the others by name.
func printConditions(a *cmdutil.Factory, conditions []describe.Condition, age func(time.Time) string) error {
	if len(conditions) == 0 {
		return cmdutil.Say(a.Streams.Out, "\nConditions\n   none yet\n")
	}
	var tree []report.Branch
	var good []string
	for _, c := range conditions {
		if c.Meaning == describe.Good {
			good = append(good, c.Type)
			continue
		}
		text := c.Status
		if c.Reason != "" {
			text += " (" + c.Reason + ")"
		}
		if since := age(c.Since); since != "" {
			text += " for " + since
		}
		if c.Message != "" {
			text += ": " + c.Message
		}
		tree = append(tree, report.Branch{Mark: meaningMark(c.Meaning), Title: c.Type, Text: cut(text),
			Hint: a.Call.Render(c.Hint)})
	}
	if len(good) > 0 {
		tree = append(tree, report.Branch{Mark: report.MarkGood, Title: fmt.Sprintf("%d as expected", len(good)),
			Text: strings.Join(good, ", ")})
	}
	if err := cmdutil.Say(a.Streams.Out, "\nConditions\n"); err != nil {
		return err
	}
	return report.Tree(a.Streams.Out, a.Streams.ScreenOut(), tree...)
}

func meaningMark(meaning string) report.Mark {
	switch meaning {
	case describe.Advice:
		return report.MarkWarning
	case describe.Unjudged:
		return report.MarkUnknown
	}
	return report.MarkBad
}

func addressRows(addresses []describe.Address) (rows [][]string) {
	for _, one := range addresses {
		rows = append(rows, []string{one.What, one.Address})
	}
	return rows
}

func releaseRows(releases []describe.Release, age func(time.Time) string) (rows [][]string) {
	for _, r := range releases {
		took := ""
		if !r.Completed.IsZero() {
			took = duration.HumanDuration(max(0, r.Completed.Sub(r.Started)))
		}
		rows = append(rows, []string{cmdutil.ShownVersion(r.Version), r.State, age(r.Started) + " ago", took, r.Image})
	}
	return rows
}

func poolRows(pools []describe.Pool) (rows [][]string) {
	for _, p := range pools {
		rows = append(rows, []string{p.Name, p.Health.String(), p.Message})
	}
	return rows
}

func machineRows(machines []describe.Machine, age func(time.Time) string) (rows [][]string) {
	const maxRows = 50
	for i, m := range machines {
		if i == maxRows {
			return append(rows, []string{fmt.Sprintf("and %d more; -o json has them all", len(machines)-maxRows)})
		}
		ready := "no"
		if m.Ready {
			ready = "yes"
		}
		rows = append(rows, []string{m.Name, m.Pool, m.Status, ready, m.Node, strings.Join(m.Addresses, ", "),
			age(m.Created)})
	}
	return rows
}

func eventsTitle(d *describe.Description) string {
	if d.MoreEvents == 0 {
		return "Events"
	}
	return fmt.Sprintf("Events (the newest; hcctl events shows %d more)", d.MoreEvents)
}

func gapRows(gaps []describe.Gap) (rows [][]string) {
	for _, g := range gaps {
		rows = append(rows, []string{g.What, g.Why})
	}
	return rows
}
