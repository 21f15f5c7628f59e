//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package prompt

import (
	"os"

	"golang.org/x/sys/unix"
)

// dropInput discards what was typed at a terminal and not read yet.
func dropInput(in *os.File) error {
	return unix.IoctlSetPointerInt(int(in.Fd()), unix.TIOCFLUSH, unix.TCIFLUSH)
}
