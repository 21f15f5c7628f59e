package prompt

import (
	"os"

	"golang.org/x/sys/windows"
)

// dropInput discards what was typed at a console and not read yet.
func dropInput(in *os.File) error { return windows.FlushConsoleInputBuffer(windows.Handle(in.Fd())) }
