//go:build !linux

package dump

import "os"

// anonymousTempFile returns an empty file in dir without a name, or one that done removes.
func anonymousTempFile(dir string) (file *os.File, done func() error, err error) { return unnamed(dir) }

// linkFile gives the content a name. It fails if the name exists.
func name(file *os.File, target string) error { return copied(file, target) }
