//go:build unix

package safefile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/hcctl/hcctl/internal/safefile"
)

// traps are what another user may put in the place of a file, and what is said of it. The victim's file is beside it.
func traps(t *testing.T) map[string]struct {
	make func(path, victim string) error
	want string
} {
	t.Helper()
	type trap = struct {
		make func(path, victim string) error
		want string
	}
	all := map[string]trap{
		"link": {
			func(path, victim string) error { return os.Symlink(victim, path) },
			"not a regular file but a link",
		},
		"link nowhere": {
			func(path, victim string) error { return os.Symlink(victim+".new", path) },
			"not a regular file but a link",
		},
		"FIFO": {
			func(path, _ string) error { return syscall.Mkfifo(path, 0o600) },
			"not a regular file but a FIFO",
		},
		"directory":     {func(path, _ string) error { return os.Mkdir(path, 0o700) }, "not a regular file but a directory"},
		"link to FIFO":  {linkToFIFO, "not a regular file but a link"},
		"second name":   {func(path, victim string) error { return os.Link(victim, path) }, "not a lock file of hcctl"},
		"an empty name": {secondNameOfEmpty, "not a lock file of hcctl"},
		"link to null": {
			func(path, _ string) error { return os.Symlink(os.DevNull, path) },
			"not a regular file but a link",
		},
	}
	if os.Geteuid() == 0 {
		all["file of another"] = trap{func(path, _ string) error {
			return errors.Join(os.WriteFile(path, nil, 0o600), os.Chown(path, nobody, nobody))
		}, "it belongs to user 65534"}
	}
	return all
}

func linkToFIFO(path, victim string) error {
	return errors.Join(syscall.Mkfifo(victim+".fifo", 0o600), os.Symlink(victim+".fifo", path))
}

func secondNameOfEmpty(path, victim string) error {
	return errors.Join(os.WriteFile(victim+".empty", nil, 0o600), os.Link(victim+".empty", path))
}

// TestLockTraps: a lock file that is not this user's own is refused at once and not written, nor what it leads to.
func TestLockTraps(t *testing.T) {
	for name, trap := range traps(t) {
		t.Run(name, func(t *testing.T) {
			dir, victim := t.TempDir(), filepath.Join(t.TempDir(), "victim")
			write(t, victim, "precious")
			if err := trap.make(filepath.Join(dir, "lock"), victim); err != nil {
				t.Fatal(err)
			}
			_, err := open(t, dir).Lock("lock", []byte("hcctl\n"))
			refused(t, err, trap.want)
			if data, err := os.ReadFile(victim); err != nil || string(data) != "precious" {
				t.Errorf("the victim's file is now %q (%v)", data, err)
			}
			if _, err := os.Lstat(victim + ".new"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a file was made through the link: %v", err)
			}
			if data, err := os.ReadFile(victim + ".empty"); err == nil && len(data) > 0 {
				t.Errorf("the empty file is now %q", data)
			}
		})
	}
}

func TestLockThatOthersCanWriteIsRefused(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "lock")
	write(t, path, "")
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := open(t, dir).Lock("lock", nil)
	refused(t, err, "others can write it (mode 0666)")
}

// TestLock: one has it, another waits for it, and a released one leaves nothing, unless its name is another's file by
// then.
func TestLock(t *testing.T) {
	dir := open(t, t.TempDir())
	mark := []byte("hcctl\n")
	first, err := dir.Lock("lock", mark)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Lock("lock", mark); !errors.Is(err, safefile.ErrLocked) {
		t.Errorf("two have it: %v", err)
	}
	if held, err := dir.Held("lock"); !held || err != nil {
		t.Errorf("held: %v, %v", held, err)
	}
	if data, _, err := dir.Read("lock", 100); string(data) != "hcctl\n" || err != nil {
		t.Errorf("it says %q (%v)", data, err)
	}
	if err := os.Rename(dir.Join("lock"), dir.Join("away")); err != nil {
		t.Fatal(err)
	}
	write(t, dir.Join("lock"), "somebody else's")
	first.Release()
	if data, err := os.ReadFile(dir.Join("lock")); err != nil || string(data) != "somebody else's" {
		t.Errorf("another's file is %q (%v)", data, err)
	}
	again, err := dir.Lock("away", mark)
	if err != nil {
		t.Fatal(err)
	}
	again.Release()
	if _, err := os.Lstat(dir.Join("away")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is left behind: %v", err)
	}
}
