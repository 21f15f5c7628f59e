package each

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

// Age is the value of --older-than, the time since the creation, such as 90m, 24h or 7d.
type Age time.Duration

// String implements pflag.Value.
func (v *Age) String() string {
	if *v == 0 {
		return ""
	}
	return time.Duration(*v).String()
}

// Type implements pflag.Value.
func (*Age) Type() string { return "age" }

// Set implements pflag.Value.
func (v *Age) Set(text string) error {
	age, err := hostedcluster.ParseAge(text)
	if err == nil {
		*v = Age(age)
	}
	return err
}

// BindAge adds --older-than to a command. what begins its usage text, combined ends it with how the flag
// combines with others.
func BindAge(cmd *cobra.Command, age *Age, what, combined string) {
	cmd.Flags().Var(age, "older-than", what+" that were created longer ago than this, such as 90m, 24h or 7d"+combined)
	cmdutil.Complete(cmd, "older-than", "90m", "6h", "24h", "7d")
}

// Expectation is the number of objects that the user expects to delete.
type Expectation struct {
	number int
	given  func() bool
}

// Bind adds --expect to a command.
func (e *Expectation) Bind(cmd *cobra.Command, noun string) {
	text := "delete nothing unless it is this number of " + noun + "s that match"
	if noun == "hosted cluster" {
		text += "; with --yes it is needed where some are still being created"
	}
	cmd.Flags().IntVar(&e.number, "expect", 0, text)
	e.given = func() bool { return cmd.Flags().Changed("expect") }
}

// Given reports whether the number was given.
func (e *Expectation) Given() bool { return e.given != nil && e.given() }

// Check returns an error for a number below 1, or one without a selection.
func (e *Expectation) Check(selects bool) error {
	switch {
	case !e.Given():
		return nil
	case !selects:
		return errors.New("--expect: it needs --selector or --older-than, or another flag that selects")
	case e.number < 1:
		return fmt.Errorf("--expect %d: give the number that are to be deleted, 1 or more", e.number)
	}
	return nil
}

// Compare returns an error if the number of names differs from the expected number. Nothing must be deleted
// then.
func (e *Expectation) Compare(noun string, names []string) error {
	if !e.Given() || len(names) == e.number {
		return nil
	}
	found := "none matches"
	if len(names) > 0 {
		found = fmt.Sprintf("%s match, and nothing was deleted: %s", plural.Count(len(names), noun), fewNames(names))
	}
	return &cmdutil.UsageError{Err: fmt.Errorf("--expect %d: %s", e.number, found),
		Help: hint.New("the same command with --dry-run shows what it would delete")}
}

// Agree returns an error if --yes alone would delete clusters that another client may still be creating: that
// needs --expect with the number of all.
func (e *Expectation) Agree(yes bool, all int, creating []string) error {
	if !yes || e.Given() || len(creating) == 0 {
		return nil
	}
	return &cmdutil.UsageError{
		Err: fmt.Errorf("nothing was deleted: of the %d that match, %s; --yes needs --expect %d here", all,
			stillCreated(creating), all),
		Help: hint.New("--older-than 6h leaves out what may still be created, --expect agrees to all of them")}
}

// Warn prints in a dry run that --yes alone is not enough.
func (e *Expectation) Warn(a *cmdutil.Factory, all int, creating []string) {
	if err := e.Agree(true, all, creating); err != nil {
		a.Notices.Warn(fmt.Sprintf("of the %d that match, %s", all, stillCreated(creating)),
			hint.New("--yes needs --expect %d here; --older-than 6h leaves out what may still be created", all))
	}
}

// StillCreated returns a line about clusters that another client may still be creating, or "" if there are none.
func StillCreated(creating []string) cmdutil.Text {
	if len(creating) == 0 {
		return ""
	}
	return cmdutil.Textf("  %s", stillCreated(creating))
}

// stillCreated names the clusters that another client may still be creating.
func stillCreated(creating []string) string {
	verb := "are"
	if len(creating) == 1 {
		verb = "is"
	}
	return fmt.Sprintf("%d %s still being created: %s", len(creating), verb, fewNames(creating))
}

// fewNames joins at most 20 names, which a user can read before agreeing.
func fewNames(names []string) string { return plural.Few(names, 20) }
