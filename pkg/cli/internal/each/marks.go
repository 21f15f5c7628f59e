package each

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

// BindMarks adds --expired and --owner to a command. The text says what they choose.
func BindMarks(cmd *cobra.Command, m *fleet.Marks, what string) {
	cmd.Flags().BoolVar(&m.Expired, "expired", false, what+" whose expiry has passed, see create cluster --expires")
	cmd.Flags().StringVar(&m.Owner, "owner", "", what+" of this owner, see create cluster --owner")
	cmdutil.Complete(cmd, "owner")
}

// Guard are the marks, with the pipeline that hcctl runs in as the owner of what may be deleted.
func (f *Flags) Guard(a *cmdutil.Factory) fleet.Marks {
	m := f.Marks
	m.Guarded, m.Job = f.Deletes && !f.AnyOwner, hostedcluster.OwnerFromCI(a.Getenv)
	return m
}

// Foreign adds to an error about hosted clusters of others how to agree to them.
func Foreign(err error) error {
	var foreign *fleet.ForeignError
	if !errors.As(err, &foreign) {
		return err
	}
	return &cmdutil.UsageError{Err: err, Help: hint.New("--owner NAME chooses those of one owner, --expired those that " +
		"have expired; --any-owner agrees to all of them")}
}

// MarkWords say what chosen hosted clusters have.
func MarkWords(m fleet.Marks) []string {
	var has []string
	if m.Owner != "" {
		has = append(has, "belongs to "+m.Owner)
	}
	if m.Expired {
		has = append(has, "has expired")
	}
	return has
}

// asksAboutCreating reports whether a selection may match what somebody is still creating. Who gave a cluster an expiry
// that has passed has agreed to its end.
func asksAboutCreating(f *Flags) bool { return f.Deletes && f.Selects() && !f.Marks.Expired }
