package dump

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// anonymousTempFile returns an empty file without a name on the file system of dir. If the file system does not support
// that, such as some network file systems, the file loses its name immediately.
func anonymousTempFile(dir string) (file *os.File, done func() error, err error) {
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, fileMode)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EISDIR) {
		return unlinkedTempFile(dir)
	}
	if err != nil {
		return nil, nil, &fs.PathError{Op: "create a file in", Path: dir, Err: err}
	}
	file = os.NewFile(uintptr(fd), dir)
	return file, file.Close, nil
}

// linkFile gives an anonymous file a name. It fails if the name exists.
func linkFile(file *os.File, target string) error {
	err := unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", file.Fd()), unix.AT_FDCWD, target,
		unix.AT_SYMLINK_FOLLOW)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s: %w", target, fs.ErrExist)
	}
	return copyFile(file, target) // the file had a name, or /proc is not mounted
}
