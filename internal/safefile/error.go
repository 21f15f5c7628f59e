package safefile

import "github.com/hcctl/hcctl/internal/hint"

// Error says why a file or folder is not used. Nothing was changed.
type Error struct {
	// Path is the file or folder, Problem what is wrong with it.
	Path, Problem string
	// Next is the next step for a person.
	Next hint.Text
}

// Error names the file and the problem.
func (e *Error) Error() string { return e.Path + ": " + e.Problem }

// Hint returns Next.
func (e *Error) Hint() hint.Text { return e.Next }
