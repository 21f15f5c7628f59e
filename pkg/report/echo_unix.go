//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package report

import "golang.org/x/sys/unix"

// withoutEcho switches off the echo of a terminal, and returns a function that restores it; nil if the echo was off. It
// does nothing in a background process, which the terminal would stop.
func withoutEcho(fd int) (restore func()) {
	foreground := func() bool {
		group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		return err == nil && group == unix.Getpgrp()
	}
	before, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil || before.Lflag&unix.ECHO == 0 || !foreground() {
		return nil
	}
	quiet := *before
	quiet.Lflag &^= unix.ECHO
	if unix.IoctlSetTermios(fd, setTermios, &quiet) != nil {
		return nil
	}
	return func() {
		if foreground() {
			_ = unix.IoctlSetTermios(fd, setTermios, before) // best effort, at the end of a display
		}
	}
}
