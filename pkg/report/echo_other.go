//go:build !(linux || darwin || dragonfly || freebsd || netbsd || openbsd)

package report

// withoutEcho does nothing: consoles echo typed characters only for a program that reads them.
func withoutEcho(int) (restore func()) { return nil }
