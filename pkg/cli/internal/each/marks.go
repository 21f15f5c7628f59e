package each

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

// BindMarks adds --expired and --owner to a command. what begins their usage text, such as "hosted clusters".
func BindMarks(cmd *cobra.Command, m *fleet.Marks, what string) {
	cmd.Flags().BoolVar(&m.Expired, "expired", false, what+" whose expiry has passed, see create cluster --expires")
	cmd.Flags().StringVar(&m.Owner, "owner", "", what+" of this owner, see create cluster --owner")
	cmdutil.Complete(cmd, "owner")
}

// Guard returns the marks with the CI pipeline that hcctl runs in as the owner. A deletion is refused for
// clusters of other owners then, unless AnyOwner is set.
func (f *Flags) Guard(a *cmdutil.Factory) fleet.Marks {
	m := f.Marks
	m.Guarded, m.Job = f.Deletes && !f.AnyOwner, hostedcluster.OwnerFromCI(a.Getenv)
	return m
}

// Foreign adds to an error about hosted clusters of other owners how to include them.
func Foreign(err error) error {
	var foreign *fleet.ForeignError
	if !errors.As(err, &foreign) {
		return err
	}
	return &cmdutil.UsageError{Err: err, Help: hint.New("--owner NAME chooses those of one owner, --expired those that " +
		"have expired; --any-owner agrees to all of them")}
}

// MarkWords returns the properties that the marks select, for messages.
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

// asksAboutCreating reports whether a selection may match clusters that another client is still creating. With
// --expired it returns false: their owners set an expiry that has passed.
func asksAboutCreating(f *Flags) bool { return f.Deletes && f.Selects() && !f.Marks.Expired }
