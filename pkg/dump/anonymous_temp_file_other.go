//go:build !linux

package dump

import "os"

// anonymousTempFile is an empty file in dir whose name is gone at once, or, where open files keep theirs, with done.
func anonymousTempFile(dir string) (file *os.File, done func() error, err error) { return unnamed(dir) }

// name gives its content a name, which nothing else may have.
func name(file *os.File, target string) error { return copied(file, target) }
