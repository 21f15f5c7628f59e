//go:build !windows

package report

import "os"

// supportsEscapes returns true: other systems declare a terminal without escape sequences in TERM.
func supportsEscapes(*os.File) bool { return true }
