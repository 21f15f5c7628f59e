package report

import (
	"os"

	"golang.org/x/sys/windows"
)

// supportsEscapes enables escape sequences on the console, which Windows 10 and later support, and reports whether that
// succeeded. It does not restore the mode, because shells set it again.
func supportsEscapes(f *os.File) bool {
	console := windows.Handle(f.Fd())
	var mode uint32
	if windows.GetConsoleMode(console, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
