//go:build !linux

package dump

import "os"

// anonymousTempFile returns an empty file in dir that loses its name immediately, or keeps it until done is called.
func anonymousTempFile(dir string) (file *os.File, done func() error, err error) {
	return unlinkedTempFile(dir)
}

// linkFile writes the content to a file of that name. It fails if the name exists.
func linkFile(file *os.File, target string) error { return copyFile(file, target) }
