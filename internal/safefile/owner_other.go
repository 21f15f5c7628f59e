//go:build !unix

package safefile

import (
	"io/fs"
	"os"
)

// nonblock has no effect, because FIFOs are not files on these systems.
const nonblock = 0

// On these systems the access list of the directory decides, and a user's directories belong to that user.

func (owners) foreign(fs.FileInfo) string   { return "" }
func exposed(fs.FileInfo) string            { return "" }
func private(info fs.FileInfo) bool         { return info.IsDir() }
func readable(fs.FileInfo) string           { return "" }
func writable(fs.FileInfo) string           { return "" }
func manyNames(fs.FileInfo) bool            { return false }
func sameOwner(*os.File, fs.FileInfo) error { return nil }
