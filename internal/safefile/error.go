package safefile

import "github.com/hcctl/hcctl/internal/hint"

// Error is the reason why a file or directory is not used. Nothing was changed.
type Error struct {
	// Path is the file or directory, Problem its problem.
	Path, Problem string
	// Next is the hint for the user.
	Next hint.Text
}

// Error returns the path and the problem.
func (e *Error) Error() string { return e.Path + ": " + e.Problem }

// Hint returns Next.
func (e *Error) Hint() hint.Text { return e.Next }
