package safefile

import (
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/hcctl/hcctl/internal/hint"
)

// kindOf returns the name of the type of a file that is not regular.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeSymlink != 0:
		return "a link"
	case mode&fs.ModeNamedPipe != 0:
		return "a FIFO"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "something else"
}

// Regular returns an *Error for an existing path that is not a regular file. It follows links and opens nothing; the
// null device counts as an empty file.
func Regular(path string) error {
	info, err := os.Stat(path)
	if err != nil || info.Mode().IsRegular() || path == os.DevNull {
		return nil //nolint:nilerr // reading it returns the error
	}
	return irregular(path, info)
}

// PrivateFile returns an *Error for a regular file that other users can read, like ssh for its keys. It accepts other
// types of files.
func PrivateFile(path string) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil //nolint:nilerr // reading it returns the error
	}
	if others := readable(info); others != "" {
		return &Error{path, others, hint.New("chmod 600 %s; in a pod, mount the Secret with defaultMode: 0400", path)}
	}
	return nil
}

func irregular(path string, info fs.FileInfo) error {
	return &Error{path, "it is not a regular file but " + kindOf(info.Mode()), hint.New("give a regular file")}
}

// Read returns the content of a regular file of at most limit bytes; it follows links. Any other type of file is an
// *Error, without blocking.
func Read(path string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0) //nolint:gosec,forbidigo // it only reads, what its caller names
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return readAll(f, path, limit)
}

// readAll reads an open regular file.
func readAll(f *os.File, path string, limit int64) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, irregular(path, info)
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, tooLarge(path, limit)
	}
	return data, nil
}

func tooLarge(path string, limit int64) error {
	return &Error{path, fmt.Sprintf("it has more than %d MB", limit>>20), hint.New("is it the right file?")}
}
