//go:build unix

package kubeconfig_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hcctl/hcctl/internal/safefile"
	"github.com/hcctl/hcctl/pkg/kubeconfig"
)

// TestTrapsBesideTheKubeconfig: what another user may have put where hcctl makes its files, and at the file's own
// place. Each is refused at once, and neither the kubeconfig nor the victim's file changes.
func TestTrapsBesideTheKubeconfig(t *testing.T) {
	for name, tc := range map[string]struct {
		trap func(config, victim string) error
		want string
	}{
		"hcctl's lock is a link": {
			func(config, victim string) error { return os.Symlink(victim, lockOf(config)) },
			"not a regular file but a link",
		},
		"hcctl's lock leads nowhere": {
			func(config, victim string) error { return os.Symlink(victim+".new", lockOf(config)) },
			"not a regular file but a link",
		},
		"hcctl's lock is a FIFO": {
			func(config, _ string) error { return syscall.Mkfifo(lockOf(config), 0o600) },
			"not a regular file but a FIFO",
		},
		"hcctl's lock is a second name": {
			func(config, victim string) error { return os.Link(victim, lockOf(config)) },
			"not a lock file of hcctl",
		},
		"kubectl's lock is a link": {
			func(config, victim string) error { return os.Symlink(victim, config+".lock") },
			"in the way of a lock file",
		},
		"kubectl's lock is a FIFO": {
			func(config, _ string) error { return syscall.Mkfifo(config+".lock", 0o600) },
			"in the way of a lock file",
		},
		"the file is a FIFO": {
			func(config, _ string) error { return errors.Join(os.Remove(config), syscall.Mkfifo(config, 0o600)) },
			"not a regular file but a FIFO",
		},
		"everybody can write the directory": {
			func(config, _ string) error { return os.Chmod(filepath.Dir(config), 0o777) },
			"everybody can replace the files",
		},
	} {
		t.Run(name, func(t *testing.T) {
			path, victim := file(t, theirs), file(t, "precious")
			if err := tc.trap(path, victim); err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			_, err := kubeconfig.Merge(t.Context(), path, []kubeconfig.Entry{entry("kv-00")}, "")
			var refused *kubeconfig.FileError
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), tc.want) || refused.Hint().String() == "" {
				t.Errorf("got %v, want %s", err, tc.want)
			}
			if took := time.Since(begin); took > 10*time.Second {
				t.Errorf("it waited for %s", took)
			}
			if content(t, victim) != "precious" {
				t.Errorf("the victim's file is now %q", content(t, victim))
			}
			if left, err := filepath.Glob(victim + ".*"); err != nil || len(left) > 0 {
				t.Errorf("made beside the victim's file: %v (%v)", left, err)
			}
			if info, err := os.Lstat(path); err != nil || info.Mode().IsRegular() && content(t, path) != theirs {
				t.Errorf("the kubeconfig changed (%v)", err)
			}
		})
	}
}

func lockOf(config string) string {
	return filepath.Join(filepath.Dir(config), "."+filepath.Base(config)+".hcctl-lock")
}

// TestSweepOfPrivateDirectoriesTrustsNobody: what others may have put where the directories of exec lie is neither
// followed nor removed nor waited for, however old it is.
func TestSweepOfPrivateDirectoriesTrustsNobody(t *testing.T) {
	base, victim := t.TempDir(), t.TempDir()
	at := func(names ...string) string { return filepath.Join(append([]string{base}, names...)...) }
	write(t, filepath.Join(victim, "kubeconfig"), "precious")
	err := errors.Join(
		os.Symlink(victim, at("hcctl-exec-1")), os.Symlink(filepath.Join(victim, "absent"), at("hcctl-exec-2")),
		syscall.Mkfifo(at("hcctl-exec-3"), 0o600),
		os.Mkdir(at("hcctl-exec-4"), 0o755), os.Mkdir(at("hcctl-exec-mine"), 0o700),
		os.Mkdir(at("hcctl-exec-5"), 0o700), syscall.Mkfifo(at("hcctl-exec-5", "lock"), 0o600),
		os.Mkdir(at("hcctl-exec-6"), 0o700), os.Symlink(filepath.Join(victim, "made"), at("hcctl-exec-6", "lock")),
	)
	if err != nil {
		t.Fatal(err)
	}
	stay := []string{
		"hcctl-exec-1", "hcctl-exec-2", "hcctl-exec-3", "hcctl-exec-4", "hcctl-exec-mine", "hcctl-exec-5", "hcctl-exec-6",
	}
	if os.Geteuid() == 0 { // only root can make a directory of another user
		stay = append(stay, "hcctl-exec-7")
		if err := errors.Join(os.Mkdir(at("hcctl-exec-7"), 0o700), os.Chown(at("hcctl-exec-7"), 65534, 65534)); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-time.Hour)
	for _, name := range []string{"hcctl-exec-4", "hcctl-exec-5", "hcctl-exec-6", "hcctl-exec-mine"} {
		if err := os.Chtimes(at(name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(victim, old, old); err != nil {
		t.Fatal(err)
	}
	_, remove, err := kubeconfig.WritePrivate(t.Context(), base, []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	remove()
	for _, name := range stay {
		if _, err := os.Lstat(at(name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left, err := os.ReadDir(victim); err != nil || len(left) != 1 ||
		content(t, filepath.Join(victim, "kubeconfig")) != "precious" {
		t.Errorf("the victim's directory has %v (%v)", left, err)
	}
}

// TestPrivateNeedsADirectoryThatOthersCannotReplace: where they can, they would choose the kubeconfig that a command is
// run with.
func TestPrivateNeedsADirectoryThatOthersCannotReplace(t *testing.T) {
	base := t.TempDir()
	if err := os.Chmod(base, 0o777); err != nil {
		t.Fatal(err)
	}
	_, _, err := kubeconfig.WritePrivate(t.Context(), base, []byte(good))
	var unsafe *safefile.Error
	if !errors.As(err, &unsafe) || !strings.Contains(err.Error(), "everybody can replace") {
		t.Errorf("got %v", err)
	}
	if left, err := os.ReadDir(base); err != nil || len(left) > 0 {
		t.Errorf("it has %v (%v)", left, err)
	}
}
