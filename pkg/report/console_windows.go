package report

import (
	"os"

	"golang.org/x/sys/windows"
)

// obeysEscapes has the console obey escape sequences, which it does only when it is told to, from Windows 10 on. It
// stays so: shells set the mode anew for themselves.
func obeysEscapes(f *os.File) bool {
	console := windows.Handle(f.Fd())
	var mode uint32
	if windows.GetConsoleMode(console, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
