package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// self returns the sandbox's own binary.
func self() (string, error) {
	path, err := os.Executable()
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return "", fmt.Errorf("find the sandbox's own binary: %w", err)
	}
	return path, nil
}

// Libexec returns the directory of the helper programs and recordings, sandbox-libexec beside the sandbox's own binary.
func Libexec() (string, error) {
	path, err := self()
	return filepath.Join(filepath.Dir(path), "sandbox-libexec"), err
}

// Check returns the path of a helper program. The error names the command that builds it, such as `make sandbox`.
func Check(directory, name, command string) (string, error) {
	path := filepath.Join(directory, name)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("helper program %s is missing: run `%s`, which builds it", path, command)
	case err != nil:
		return "", fmt.Errorf("helper program: %w", err)
	case info.IsDir() || info.Mode()&0o111 == 0:
		return "", fmt.Errorf("helper program %s is not executable: run `%s`, which builds it", path, command)
	}
	return path, nil
}
