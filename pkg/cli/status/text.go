package status

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/status"
	"github.com/hcctl/hcctl/pkg/report"
)

// named is a part of a cluster with its title. count names what is counted in it.
type named struct {
	part         status.Part
	title, count string
}

// partsOf returns the parts below the HostedCluster, in the order of the output.
func partsOf(r *status.Report) []named {
	return []named{
		{r.ControlPlane, "control plane", "pods ready"},
		{r.NodePools, "node pools", "nodes ready"},
		{r.Machines, "worker VMs", "ready"},
		{r.Nodes, "nodes", "Ready"},
		{r.Operators, "cluster operators", "as expected"},
		{r.Services, "services", "ready"},
		{r.ManagedCluster, "managed cluster", ""},
		{r.Expiry, "expiry", "valid"},
	}
}

// printStatus prints one cluster as a tree.
func printStatus(a *cmdutil.Factory, w io.Writer, f *statusFlags, r *status.Report, next string,
	screen report.Screen) error {
	branch := func(p status.Part, counted string) report.Branch { return f.branch(a, p, counted) }
	hc := branch(r.HostedCluster, "conditions as expected")
	about := []string{string(r.Phase)}
	if v := versions(r); v != "" {
		about = append(about, v)
	}
	if r.API != "" {
		about = append(about, "API server "+strings.TrimPrefix(string(cmdutil.Link("https://"+r.API)), "https://"))
	}
	if r.Through != "" {
		about = append(about, "reached "+r.Through)
	}
	if hc.Text != "" {
		about = append(about, hc.Text)
	}
	hc.Title, hc.Text = "HostedCluster "+r.Name, strings.Join(about, ", ")
	tree := []report.Branch{hc}
	for _, p := range partsOf(r) {
		if p.part.Kind == "" {
			continue
		}
		if p.part.Kind == r.Machines.Kind && r.Machines.NotJudged {
			p.title = "machines"
		}
		if f.problems && p.part.Health == status.OK {
			continue
		}
		b := branch(p.part, p.count)
		if r.Phase == status.Deleting && p.part.Total != nil && *p.part.Total == 0 && p.part.Message == "" {
			b.Text = "none left"
		}
		b.Title = p.title
		if p.part.NotJudged {
			b.Mark = report.MarkUnknown
		}
		tree = append(tree, b)
	}
	if err := report.Tree(w, screen, tree...); err != nil {
		return err
	}
	whole := cmdutil.UpperFirst(r.Health.String())
	switch {
	case r.Health == status.OK && r.Message == "":
		whole = "All parts are healthy."
	case r.Health == status.OK:
		whole = "OK: " + shortened(r.Message, maxWhole)
	case r.Message != "":
		whole += ": " + shortened(r.Message, maxWhole)
	}
	lines := []string{whole}
	if screen.Width > 0 {
		lines = report.Wrap(string(cmdutil.Textf("%s", whole)), screen.Width)
	}
	begin := "\n"
	for _, line := range lines {
		if err := cmdutil.Say(w, begin+"%s\n", line); err != nil {
			return err
		}
		begin = ""
	}
	if err := cmdutil.Say(w, "Next: %s\n", next); err != nil ||
		r.Health != status.Failing && r.Health != status.Broken {
		return err
	}
	dump := hint.Run("dump", hostedcluster.Argument(r.Namespace, r.Name)).Text()
	return cmdutil.Say(w, "If that does not help: %s\n", a.Call.Render(dump))
}

// Limits of what a screen shows: problems of one kind, characters of one message, and characters of the last
// line.
const (
	maxParts   = 10
	maxMessage = 300
	maxWhole   = 1200
)

// shortened cuts out the middle of a message. A condition may name a hundred machines, and the cause in a
// wrapped error is at its end.
func shortened(message string, limit int) string {
	if runes := []rune(message); len(runes) > limit {
		return string(runes[:limit/2]) + " … " + string(runes[len(runes)-limit/2:])
	}
	return message
}

// message returns a message, shortened unless -o wide is given.
func (f *statusFlags) message(text string) string {
	if f.wide() {
		return text
	}
	return shortened(text, maxMessage)
}

func worst(parts []status.Part) status.Health {
	h := status.OK
	for _, p := range parts {
		h = status.Worse(h, p.Health)
	}
	return h
}

// branch returns a part as a line of the tree, with the lines below it.
func (f *statusFlags) branch(a *cmdutil.Factory, p status.Part, counted string) report.Branch {
	b := report.Branch{Mark: cmdutil.HealthMark(p.Health), Text: f.message(p.Message), Hint: a.Call.Render(p.Hint)}
	if p.Ready != nil && counted != "" {
		count := fmt.Sprintf("%d of %d %s", *p.Ready, *p.Total, counted)
		b.Text = strings.TrimSuffix(count+", "+b.Text, ", ")
	}
	if f.problems {
		p.Parts = slices.DeleteFunc(slices.Clone(p.Parts), func(sub status.Part) bool { return sub.Health == status.OK })
	}
	for i, sub := range p.Parts {
		if more := len(p.Parts) - i; i == maxParts && more > 1 && !f.wide() {
			b.Branches = append(b.Branches, report.Branch{Mark: cmdutil.HealthMark(worst(p.Parts[i:])),
				Text: fmt.Sprintf("and %d more; -o wide shows them all", more)})
			break
		}
		line := f.branch(a, sub, "")
		// The message of a condition begins with its name.
		if sub.Kind != "Condition" {
			line.Title = sub.Name
		}
		b.Branches = append(b.Branches, line)
	}
	return b
}

// versions returns the version for a user, such as "4.20.3 to 4.20.4" during an update.
func versions(r *status.Report) string {
	runs, desired := cmdutil.ShownVersion(r.Version), cmdutil.ShownVersion(r.Desired)
	switch {
	case desired == "":
		return runs
	case runs == "":
		return "to " + desired
	}
	return runs + " to " + desired
}
