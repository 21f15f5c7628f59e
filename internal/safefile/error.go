package safefile

// Error says why a file or folder is not used. Nothing was changed.
type Error struct {
	// Path is the file or folder, and Problem what is wrong with it.
	Path, Problem string
	// Next is the next step for a person.
	Next string
}

// Error names the file and says what is wrong with it.
func (e *Error) Error() string { return e.Path + ": " + e.Problem }

// Hint is what to do.
func (e *Error) Hint() string { return e.Next }
