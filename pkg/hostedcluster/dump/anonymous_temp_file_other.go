//go:build !linux

package dump

import "os"

// anonymousTempFile returns an empty file in dir that loses its name at once, or keeps one until done.
func anonymousTempFile(dir string) (file *os.File, done func() error, err error) {
	return unlinkedTempFile(dir)
}

// linkFile gives the content a name. It fails if the name exists.
func linkFile(file *os.File, target string) error { return copyFile(file, target) }
