// Package consent decides whether a command goes on, asks a user first, or stops. The table of docs/disks.md says the
// same, and a test holds the two together.
package consent

import (
	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
)

// Caller is who called a command.
type Caller struct {
	// Terminal means that a user can be asked.
	Terminal bool
	// Yes is --yes.
	Yes bool
}

// Approval is what --disks says of a plan of disks.
type Approval string

// The approvals. The zero value is that of everything that takes no disks.
const (
	// NotGiven means that --disks was not given.
	NotGiven Approval = ""
	// OfThese means that --disks has the digest of the plan.
	OfThese Approval = "their digest"
	// Named means that --disks names each disk.
	Named Approval = "their names"
	// OfOthers means that --disks has another digest.
	OfOthers Approval = "another digest"
)

// Request is what a command is about to do.
type Request struct {
	// Destroys is whether something is lost or given away for good. Disks have Doubts instead.
	Destroys bool
	// Disks is the approval of the disks that are taken.
	Disks Approval
	// Doubts is whether only a user can agree to the disks.
	Doubts bool
}

// Decision is what a command does then.
type Decision string

// The decisions.
const (
	// GoesOn means that nobody is asked.
	GoesOn Decision = "goes on"
	// Asks means that the command asks the user at the terminal.
	Asks Decision = "asks"
	// NeedsYes means that the command stops before its first request, and goes on with --yes.
	NeedsYes Decision = "needs --yes"
	// NeedsDisks means that bootstrap stops before it takes a disk, and goes on with --disks.
	NeedsDisks Decision = "needs --disks"
)

// Decide returns what the command does. A plan that was approved as it is asks nobody; one that differs from what was
// approved asks nobody either, since the user said which disks.
func (c Caller) Decide(r Request) Decision {
	switch {
	case r.Disks == OfOthers:
		return NeedsDisks
	case r.Disks != NotGiven:
		return GoesOn
	case c.Terminal && !c.Yes:
		return Asks
	case r.Doubts:
		return NeedsDisks
	case r.Destroys && !c.Yes:
		return NeedsYes
	}
	return GoesOn
}

// MissingFlag is the error of a command, such as "delete cluster", that destroys something without --yes while nobody
// can be asked.
func MissingFlag(command string) error {
	return failure.New(failure.Misused, hint.New("give %s to proceed, or %s to see what it would do", hint.Flag("yes"),
		hint.Flag("dry-run")), "hcctl %s needs %s here: it does what cannot be undone, and there is no terminal to ask on",
		command, hint.Flag("yes"))
}
