//go:build !unix

package safefile

import (
	"io/fs"
	"os"
)

// nonblock has no effect where FIFOs are not files.
const nonblock = 0

// Access lists of the directory decide here, and a user's directories belong to that user.

func (owners) foreign(fs.FileInfo) string   { return "" }
func exposed(fs.FileInfo) string            { return "" }
func private(info fs.FileInfo) bool         { return info.IsDir() }
func readable(fs.FileInfo) string           { return "" }
func writable(fs.FileInfo) string           { return "" }
func manyNames(fs.FileInfo) bool            { return false }
func sameOwner(*os.File, fs.FileInfo) error { return nil }
