//go:build unix

package safefile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hcctl/hcctl/internal/safefile"
)

// nobody is another user. Only root can give files to them.
const nobody = 65534

// give makes a file, directory or link that of another user. Without root, the test goes on as that of a file that
// cannot be taken.
func give(t *testing.T, path string) (given bool) {
	t.Helper()
	if os.Geteuid() != 0 {
		return false
	}
	if err := os.Lchown(path, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	return true
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, dir string) *safefile.Directory {
	t.Helper()
	f, err := safefile.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// refused holds that err is an *Error of these words that says what to do.
func refused(t *testing.T, err error, want string) {
	t.Helper()
	var unsafe *safefile.Error
	if !errors.As(err, &unsafe) || !strings.Contains(err.Error(), want) || unsafe.Hint().String() == "" {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestDirectoriesInWhichOthersReplaceFilesAreRefused; a sticky one, such as /tmp, is taken.
func TestDirectoriesInWhichOthersReplaceFilesAreRefused(t *testing.T) {
	for mode, want := range map[fs.FileMode]string{
		0o700: "", 0o755: "", 0o777 | fs.ModeSticky: "", 0o777: "everybody can replace", 0o703: "everybody can replace",
	} {
		dir := t.TempDir()
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		f, err := safefile.Open(t.Context(), dir)
		if want == "" && err != nil {
			t.Errorf("%o: %v", mode, err)
		}
		if want != "" {
			refused(t, err, want)
			continue
		}
		_ = f.Close()
	}
}

// TestPathsOfOthers: a link of another user, and their directory in a directory of everybody, may be traps. As another
// user than root, the same is seen of the side that may do it: links and directories of one's own are taken.
func TestPathsOfOthers(t *testing.T) {
	shared, mine := t.TempDir(), t.TempDir()
	if err := os.Chmod(shared, 0o777|fs.ModeSticky); err != nil {
		t.Fatal(err)
	}
	link, directory := filepath.Join(shared, "link"), filepath.Join(shared, "directory")
	if err := errors.Join(os.Symlink(mine, link), os.MkdirAll(filepath.Join(directory, "sub"), 0o755)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		filepath.Join(link, "config"), filepath.Join(directory, "config"), filepath.Join(directory, "sub", "config"),
	} {
		if _, err := safefile.Resolve(t.Context(), path); err != nil {
			t.Errorf("one's own: %v", err)
		}
	}
	if !give(t, link) || !give(t, directory) {
		return // only root can set this trap; what one's own user may do is tested above
	}
	_, err := safefile.Resolve(t.Context(), filepath.Join(link, "config"))
	refused(t, err, "it is a link, and it belongs to user 65534")
	for _, path := range []string{filepath.Join(directory, "config"), filepath.Join(directory, "sub", "config")} {
		_, err := safefile.Resolve(t.Context(), path)
		refused(t, err, "it belongs to user 65534, and everybody can make directories in")
	}
	for _, path := range []string{link, directory} {
		if safefile.Private(t.Context(), path) {
			t.Errorf("%s is taken as one's own", path)
		}
	}
}

// TestUnderSudo: the directory of another user is refused to root, unless that user is the one who called sudo.
func TestUnderSudo(t *testing.T) {
	dir := t.TempDir()
	if !give(t, dir) {
		if safefile.Private(t.Context(), "/") {
			t.Error("root's directory is not another user's own")
		}
		return
	}
	_, err := safefile.Open(t.Context(), dir)
	refused(t, err, "it belongs to user 65534")
	_, err = safefile.Open(safefile.AlsoOwnedBy(t.Context(), nobody-1), dir)
	refused(t, err, "it belongs to user 65534")
	f, err := safefile.Open(safefile.AlsoOwnedBy(t.Context(), nobody), dir)
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
}

func TestResolve(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(names ...string) string { return filepath.Join(append([]string{base}, names...)...) }
	for link, target := range map[string]string{
		"a": "b", "b": "directory", "up": "directory/../directory",
		"dangling": "directory/absent", "circle": "circle2", "circle2": "circle",
		"abs": at("directory"),
	} {
		if err := os.Symlink(target, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(at("directory"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, at("directory", "file"), "x")
	for path, want := range map[string]string{
		"a/file": "directory/file", "up/file": "directory/file", "abs/new": "directory/new", "a/new/newer": "directory/new/newer",
		"none/x": "none/x", ".": "",
	} {
		if got, err := safefile.Resolve(t.Context(), at(path)); err != nil || got != at(want) {
			t.Errorf("%s: %s (%v), want %s", path, got, err, at(want))
		}
	}
	for path, want := range map[string]string{"dangling": "leads nowhere", "circle/x": "in a circle"} {
		_, err := safefile.Resolve(t.Context(), at(path))
		refused(t, err, want)
	}
}

// TestReadTakesOnlyRegularFiles of a bounded size, and waits for nothing. The null device is an empty kubeconfig.
func TestReadTakesOnlyRegularFiles(t *testing.T) {
	dir := t.TempDir()
	fifo, link, large := filepath.Join(dir, "fifo"), filepath.Join(dir, "link"), filepath.Join(dir, "large")
	if err := errors.Join(syscall.Mkfifo(fifo, 0o600), os.Symlink(fifo, link)); err != nil {
		t.Fatal(err)
	}
	write(t, large, strings.Repeat("x", 101))
	for path, want := range map[string]string{
		fifo: "a FIFO", link: "a FIFO", dir: "a directory", "/dev/zero": "a device", large: "it has more than",
	} {
		_, err := safefile.Read(path, 100)
		refused(t, err, want)
		if path != large {
			refused(t, safefile.Regular(path), want)
		}
	}
	absent := filepath.Join(dir, "absent")
	if err := errors.Join(safefile.Regular(os.DevNull), safefile.Regular(large), safefile.Regular(absent)); err != nil {
		t.Error(err)
	}
}

// TestWriteReplacesALink rather than what it leads to, and sweeping takes only what Write left.
func TestWriteReplacesALink(t *testing.T) {
	dir, victim := open(t, t.TempDir()), filepath.Join(t.TempDir(), "victim")
	write(t, victim, "precious")
	if err := os.Symlink(victim, dir.Join("record")); err != nil {
		t.Fatal(err)
	}
	write(t, dir.Join(".record.hcctl-tmp-17"), "half")
	write(t, dir.Join(".record.hcctl-tmp-mine"), "mine")
	if err := os.Symlink(victim, dir.Join(".record.hcctl-tmp-18")); err != nil {
		t.Fatal(err)
	}
	if err := dir.Write("record", []byte("new")); err != nil {
		t.Fatal(err)
	}
	dir.SweepTemps()
	info, err := os.Lstat(dir.Join("record"))
	if data, _, readErr := dir.Read("record", 10); err != nil || readErr != nil || string(data) != "new" ||
		info.Mode() != 0o600 {
		t.Errorf("%q, %v (%v)", data, info.Mode(), err)
	}
	if data, err := os.ReadFile(victim); err != nil || string(data) != "precious" {
		t.Errorf("the victim's file is now %q (%v)", data, err)
	}
	left, err := os.ReadDir(dir.Path())
	if err != nil || len(left) != 3 {
		t.Errorf("left: %v (%v)", left, err)
	}
}
