// Package consent decides whether a command continues, asks the user first, or stops. docs/disks.md has the same table,
// and a test compares the two.
package consent

import (
	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
)

// Caller describes the call of a command.
type Caller struct {
	// Terminal is set if hcctl can ask the user at a terminal.
	Terminal bool
	// Yes is the flag --yes.
	Yes bool
}

// Approval is the relation of --disks to the planned disks.
type Approval string

// The approvals. The zero value is that of commands that take no disks.
const (
	// NotGiven means that --disks is not set.
	NotGiven Approval = ""
	// OfThese means that --disks has the digest of the planned disks.
	OfThese Approval = "their digest"
	// Named means that --disks names each planned disk.
	Named Approval = "their names"
	// OfOthers means that --disks has another digest.
	OfOthers Approval = "another digest"
)

// Request describes the intended action of a command.
type Request struct {
	// Destroys is set if data is lost or given away permanently. For disks, Doubts is used instead.
	Destroys bool
	// Disks is the approval of the disks to be used.
	Disks Approval
	// Doubts is set if only the user can approve the disks.
	Doubts bool
}

// Decision is the result of Decide.
type Decision string

// The decisions.
const (
	// GoesOn means that the command continues without a question.
	GoesOn Decision = "goes on"
	// Asks means that the command asks the user at the terminal.
	Asks Decision = "asks"
	// NeedsYes means that the command stops before its first request unless --yes is set.
	NeedsYes Decision = "needs --yes"
	// NeedsDisks means that bootstrap stops before it takes a disk unless --disks is set.
	NeedsDisks Decision = "needs --disks"
)

// Decide returns whether the command continues, asks or stops. With --disks it never asks: it continues with approved
// disks and stops with others.
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

// MissingFlag returns the error of a destructive command, such as "delete cluster", without --yes and without a
// terminal to ask the user.
func MissingFlag(command string) error {
	return failure.New(failure.Misused, hint.New("give %s to proceed, or %s to see what it would do", hint.Flag("yes"),
		hint.Flag("dry-run")), "hcctl %s needs %s here: it does what cannot be undone, and there is no terminal to ask on",
		command, hint.Flag("yes"))
}
