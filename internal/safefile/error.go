package safefile

import "github.com/hcctl/hcctl/internal/hint"

// Error says why a file or directory is not used. Nothing was changed.
type Error struct {
	// Path is the file or directory, Problem what is wrong with it.
	Path, Problem string
	// Next is the next step for a user.
	Next hint.Text
}

// Error names the file and the problem.
func (e *Error) Error() string { return e.Path + ": " + e.Problem }

// Hint returns Next.
func (e *Error) Hint() hint.Text { return e.Next }
