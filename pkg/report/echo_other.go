//go:build !(linux || darwin || dragonfly || freebsd || netbsd || openbsd)

package report

// withoutEcho does nothing: consoles show what is typed only to a program that reads it.
func withoutEcho(int) (restore func()) { return nil }
