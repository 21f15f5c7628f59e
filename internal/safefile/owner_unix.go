//go:build unix

package safefile

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// othersWrite and groupWrites are the write permissions of others and of the group.
const (
	othersWrite = 0o002
	groupWrites = 0o020
)

// nonblock prevents blocking when a FIFO or a device is opened.
const nonblock = syscall.O_NONBLOCK

// ownerOf returns the user, the group and the number of hard links of a file.
func ownerOf(info fs.FileInfo) (uid, gid, links uint64, ok bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, 0, false
	}
	return uint64(stat.Uid), uint64(stat.Gid), uint64(stat.Nlink), true //nolint:unconvert // sizes differ
}

// foreign returns the problem of a file whose owner is neither this user nor root, else "".
func (o owners) foreign(info fs.FileInfo) string {
	uid, _, _, ok := ownerOf(info)
	switch {
	case !ok:
		return "its owner is unknown"
	case uid == 0 || uid == uint64(os.Geteuid()) || o.sudo && uid == uint64(o.also): //nolint:gosec // not negative
		return ""
	}
	return fmt.Sprintf("it belongs to user %d", uid)
}

// exposed returns the problem of a directory whose files other users can replace, else "". In a sticky directory only a
// file's owner can.
func exposed(info fs.FileInfo) string {
	mode := info.Mode()
	uid, gid, _, _ := ownerOf(info)
	switch {
	case mode&fs.ModeSticky != 0:
		return ""
	case mode.Perm()&othersWrite != 0:
		return fmt.Sprintf("everybody can replace the files in it (mode %04o)", mode.Perm())
	case mode.Perm()&groupWrites != 0 && gid != uid: // a user's private group has the same number
		return fmt.Sprintf("its group can replace the files in it (mode %04o)", mode.Perm())
	}
	return ""
}

// shared reports whether other users can create files in a directory.
func shared(info fs.FileInfo) bool { return info.Mode().Perm()&othersWrite != 0 }

// private reports whether only this user can read a directory.
func private(info fs.FileInfo) bool {
	uid, _, _, ok := ownerOf(info)
	return ok && info.IsDir() && uid == uint64(os.Geteuid()) && info.Mode().Perm() == 0o700 //nolint:gosec // not negative
}

// writable returns the problem of a file to which other users can write, else "".
func writable(info fs.FileInfo) string {
	if info.Mode().Perm()&(othersWrite|groupWrites) != 0 {
		return fmt.Sprintf("others can write it (mode %04o)", info.Mode().Perm())
	}
	return ""
}

// readable returns the problem of a file that other users can read, else "".
func readable(info fs.FileInfo) string {
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Sprintf("others can read it (mode %04o)", info.Mode().Perm())
	}
	return ""
}

// manyNames reports whether a file has further hard links, which may be in another user's directory.
func manyNames(info fs.FileInfo) bool {
	_, _, links, _ := ownerOf(info)
	return links > 1
}

// sameOwner sets the user and group of a new file to those of the replaced one.
func sameOwner(f *os.File, old fs.FileInfo) error {
	fresh, err := f.Stat()
	if err != nil {
		return err
	}
	wasUser, wasGroup, _, ok := ownerOf(old)
	user, group, _, ok2 := ownerOf(fresh)
	if !ok || !ok2 || wasUser == user && wasGroup == group {
		return nil
	}
	if err := f.Chown(int(wasUser), int(wasGroup)); err != nil && wasUser != user { //nolint:gosec // IDs of 32 bits
		return fmt.Errorf("it belongs to user %d, and the new one cannot be given to them: %w", wasUser, err)
	}
	return nil
}
