//go:build windows

package safefile

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockAt is the offset of the locked byte, far behind the content, so that other processes can read the file.
const lockAt = 1 << 30

// lockNow locks an open file or fails with ErrLocked.
func lockNow(f *os.File) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var locked error
	err = raw.Control(func(fd uintptr) {
		locked = windows.LockFileEx(windows.Handle(fd),
			windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0,
			&windows.Overlapped{Offset: lockAt})
	})
	if err == nil && errors.Is(locked, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return errors.Join(err, locked)
}
