//go:build unix

package kubeconfig

import (
	"fmt"
	"os"
	"syscall"
)

// sameOwner gives the new file the user and group of the one it replaces: sudo must not take a kubeconfig away from its user.
func sameOwner(f *os.File, path string) error {
	old, err := os.Stat(path)
	if err != nil {
		return nil //nolint:nilerr // there is none yet
	}
	fresh, err := f.Stat()
	if err != nil {
		return err
	}
	was, ok := old.Sys().(*syscall.Stat_t)
	is, ok2 := fresh.Sys().(*syscall.Stat_t)
	if !ok || !ok2 || was.Uid == is.Uid && was.Gid == is.Gid {
		return nil
	}
	if err := f.Chown(int(was.Uid), int(was.Gid)); err != nil && was.Uid != is.Uid {
		return fmt.Errorf("it belongs to user %d, and the new one cannot be given to them: %w", was.Uid, err)
	}
	return nil
}
