package kubeconfig

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/safefile"
)

// resolve follows links, so that update writes to the target and keeps the link. It does not follow links of other
// users.
func resolve(ctx context.Context, path string) (string, error) {
	target, err := safefile.Resolve(ctx, path)
	if err != nil {
		return "", fileError(path, "it cannot be looked at", err)
	}
	return target, nil
}

// read returns the content and the info of a file that may be changed, nil if it does not exist.
func (f *file) read() ([]byte, fs.FileInfo, error) {
	path := f.path()
	info, err := f.directory.Own(f.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, nil
	case err != nil:
		return nil, nil, fileError(path, "it cannot be looked at", err)
	case info.Size() > maxBytes:
		return nil, nil, tooLarge(path, info.Size())
	case info.Mode().Perm()&0o200 == 0:
		problem, next := notWritable(runtime.GOOS, path, info.Mode())
		return nil, nil, &FileError{path, problem, hint.New("%s, or %s", next, anotherFile()), nil}
	}
	data, info, err := f.directory.Read(f.name, maxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fileError(path, "it cannot be read", err)
	}
	return data, info, nil
}

const windows = "windows"

// notWritable returns the problem and the hint for a file that its owner may not write. On Windows read-only is an
// attribute, not a mode.
func notWritable(system, path string, mode fs.FileMode) (problem string, next hint.Text) {
	if system == windows {
		return "it is read-only", hint.New(`attrib -r "%s"`, path)
	}
	return fmt.Sprintf("it is read-only (mode %04o)", mode.Perm()), hint.New("chmod u+w %s", path)
}

func tooLarge(path string, size int64) error {
	problem := fmt.Sprintf("it has %d MB, and hcctl touches no kubeconfig of more than %d MB", size>>20, maxBytes>>20)
	return &FileError{path, problem, anotherFile(), nil}
}

// readOnly returns the content of a file that will not be changed, nil if it does not exist.
func readOnly(path string) ([]byte, error) {
	data, err := safefile.Read(path, maxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fileError(path, "it cannot be read", err)
	}
	return data, nil
}
