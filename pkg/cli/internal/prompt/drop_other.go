//go:build !(linux || darwin || dragonfly || freebsd || netbsd || openbsd || windows)

package prompt

import "os"

// dropInput does nothing: this system has no known way to discard typed input.
func dropInput(*os.File) error { return nil }
