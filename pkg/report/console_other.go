//go:build !windows

package report

import "os"

// obeysEscapes is true: TERM says of a terminal that it does not.
func obeysEscapes(*os.File) bool { return true }
