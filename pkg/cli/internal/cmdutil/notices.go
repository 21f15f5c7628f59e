package cmdutil

import (
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/report"
)

// Notices prints what a user should know beside the results: warnings, and outages of the API server.
type Notices struct {
	streams *Streams
	call    *Call
	// shown is the progress of the current run, which prints notes; nil between runs.
	shown struct {
		sync.Mutex
		progress report.Progress
		// target is what the command talks to, away why that does not answer; empty while it does.
		target *Target
		away   string
	}
}

// Away and back report an outage of the API server and its end.
func (n *Notices) Away(err error) {
	n.shown.Lock()
	n.shown.away = kube.Explain(err)
	n.shown.Unlock()
	n.note(kube.Explain(err) + "; waiting for it")
}

func (n *Notices) back(after time.Duration) {
	n.shown.Lock()
	n.shown.away = ""
	n.shown.Unlock()
	n.note(fmt.Sprintf("the API server answers again, after %s", after.Round(time.Second)))
}

// waitedFor says what a command waits for before its run.
func (n *Notices) waitedFor() string {
	n.shown.Lock()
	defer n.shown.Unlock()
	switch {
	case n.shown.target == nil:
		return "its input"
	case n.shown.away == "":
		return "an answer of " + n.shown.target.String()
	}
	return n.shown.target.String() + ": " + n.shown.away
}

// note prints a message about the run as a whole, whatever is on the screen.
func (n *Notices) note(text string) {
	n.shown.Lock()
	defer n.shown.Unlock()
	if n.shown.progress == nil {
		Tell(n.streams.Err, "%s\n", UpperFirst(text))
		return
	}
	n.shown.progress.Note(UpperFirst(text))
}

// Show makes progress print the notes; nil ends that.
func (n *Notices) Show(progress report.Progress) {
	n.shown.Lock()
	defer n.shown.Unlock()
	n.shown.progress = progress
}

// Aside runs what writes to the terminal while the progress of the run keeps off it.
func (n *Notices) Aside(talk func()) {
	n.shown.Lock()
	progress := n.shown.progress
	n.shown.Unlock()
	report.Aside(progress, talk)
}

// Warn prints a problem that does not stop the command.
func (n *Notices) Warn(line, hint string) {
	Tell(n.streams.Err, "Warning: %s\n", line)
	if hint != "" {
		Tell(n.streams.Err, "  → %s\n", n.call.WithConnection(hint))
	}
}

// WarnDeprecated prints a line on stderr for the command and each given flag that will go away.
func (n *Notices) WarnDeprecated(cmd *cobra.Command) {
	for c := cmd; c != nil; c = c.Parent() {
		if instead := Deprecation(c.Annotations); instead != "" {
			Tell(n.streams.Err, "Warning: %s is deprecated and will be removed: %s\n", c.CommandPath(), n.call.AsCalled(instead))
		}
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if instead := FlagDeprecation(f); instead != "" {
			Tell(n.streams.Err, "Warning: --%s is deprecated and will be removed: %s\n", f.Name, n.call.AsCalled(instead))
		}
	})
}
