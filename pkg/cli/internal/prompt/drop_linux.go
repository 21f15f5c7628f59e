package prompt

import (
	"os"

	"golang.org/x/sys/unix"
)

// dropInput discards what was typed at a terminal and not read yet.
func dropInput(in *os.File) error {
	return unix.IoctlSetInt(int(in.Fd()), unix.TCFLSH, unix.TCIFLUSH)
}
