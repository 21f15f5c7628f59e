package kubeconfig

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/safefile"
)

// maxBytes is the maximum size of a kubeconfig that hcctl writes. One with a hundred clusters has about 1 MB.
const maxBytes = 10 << 20

// maxAttempts is the maximum number of reads of a file that another program changes meanwhile.
const maxAttempts = 20

// FileError means that a file must not be changed or cannot be written. The file is unchanged.
type FileError struct {
	Path    string
	Message string
	// Next is the hint for the user.
	Next hint.Text
	Err  error
}

// Error returns a message with the file and the problem.
func (e *FileError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("%s is left as it is: %s", e.Path, e.Message)
	}
	return fmt.Sprintf("%s is left as it is: %s: %v", e.Path, e.Message, e.Err)
}

// Unwrap returns the error of the file system or the parser.
func (e *FileError) Unwrap() error { return e.Err }

// Hint returns Next.
func (e *FileError) Hint() hint.Text { return e.Next }

func anotherFile() hint.Text { return hint.New("give another file with %s", hint.Flag("file")) }

// fileError returns a FileError. For an unsafe file it uses the problem and hint of safefile.
func fileError(path, message string, err error) error {
	var unsafe *safefile.Error
	if !errors.As(err, &unsafe) {
		return &FileError{path, message, anotherFile(), err}
	}
	if unsafe.Path == path {
		return &FileError{path, unsafe.Problem, unsafe.Next, nil}
	}
	return &FileError{path, unsafe.Error(), unsafe.Next, nil}
}

// file is a kubeconfig in its open directory.
type file struct {
	directory *safefile.Directory
	// name is the file's name in the directory; given is the absolute path of the caller, which may be a link.
	name, given string
}

// path is the real path, without links.
func (f *file) path() string { return f.directory.Join(f.name) }

// openFile opens the directory of a kubeconfig and follows links. With create it creates the directory; without, it
// returns nil for a missing file.
func openFile(ctx context.Context, path string, create bool) (*file, error) {
	given, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	target, err := resolve(ctx, given)
	if err != nil {
		return nil, err
	}
	dir := filepath.Dir(target)
	if create {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, &FileError{target, "its directory cannot be made", anotherFile(), err}
		}
	} else if _, err := os.Lstat(target); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	directory, err := safefile.Open(ctx, dir)
	if err != nil {
		return nil, fileError(target, "its directory cannot be opened", err)
	}
	return &file{directory, filepath.Base(target), given}, nil
}

// update changes a kubeconfig file with edit, under hcctl's lock and kubectl's; create creates a missing file. Readers
// see the old file or the new one, even if hcctl is killed.
func update(ctx context.Context, path string, create bool, out *Outcome, edit func(*document) error) error {
	f, err := openFile(ctx, path, create)
	if f == nil || err != nil {
		return err
	}
	defer func() { _ = f.directory.Close() }()
	out.Path = f.path()
	lock, err := f.lock(ctx)
	if err != nil {
		return err
	}
	defer lock.Release()
	f.directory.Sweep(safefile.TempPrefix(f.name))
	for range maxAttempts {
		done, err := f.tryUpdate(ctx, out, edit)
		if done || err != nil {
			return err
		}
	}
	return &FileError{f.path(), "other programs write it again and again", hint.New("try again once they are done"), nil}
}

// tryUpdate reads, edits and replaces the file once; done is false if the file changed meanwhile. It holds kubectl's
// lock only while it reads and replaces, because kubectl does not wait for the lock, and a killed hcctl would leave it
// behind.
func (f *file) tryUpdate(ctx context.Context, out *Outcome, edit func(*document) error) (done bool, err error) {
	var before []byte
	var old fs.FileInfo
	if err := f.withKubectlLock(ctx, func() error { before, old, err = f.read(); return err }); err != nil {
		return false, err
	}
	after, err := applyEdit(f.path(), before, edit)
	if err != nil {
		return false, err
	}
	out.Narrowed = 0
	if bytes.Equal(before, after) {
		return true, nil
	}
	temp, err := f.directory.WriteTemp(safefile.TempPrefix(f.name), after, old)
	if err != nil {
		return false, fileError(f.path(), "the new content cannot be written beside it", err)
	}
	defer func() { _ = f.directory.Root().Remove(temp) }()
	err = f.withKubectlLock(ctx, func() error {
		now, info, err := f.read()
		if err != nil || !bytes.Equal(now, before) || (now == nil) != (before == nil) {
			return err
		}
		if info != nil {
			out.Narrowed = sharedMode(runtime.GOOS, info.Mode())
		}
		if err := f.directory.Root().Rename(temp, f.name); err != nil {
			return &FileError{f.path(), "it cannot be replaced", anotherFile(), err}
		}
		done = true
		return nil
	})
	if done {
		f.directory.Sync()
	}
	return done, err
}

// sharedMode returns the mode of a file that other users can read, otherwise 0. On Windows the mode does not show that:
// the access list of the directory decides.
func sharedMode(system string, mode fs.FileMode) uint32 {
	if system == windows || mode.Perm()&0o077 == 0 {
		return 0
	}
	return uint32(mode.Perm())
}

// applyEdit returns the content after edit: the same bytes if nothing changed.
func applyEdit(path string, before []byte, edit func(*document) error) ([]byte, error) {
	d, err := parse(before)
	if err != nil {
		return nil, &FileError{path, "it is not a kubeconfig that hcctl can read",
			hint.New("repair it (oc config view --kubeconfig shows what is wrong), or %s", anotherFile()), err}
	}
	original, err := d.bytes()
	if err != nil {
		return nil, &FileError{path, "it cannot be written again as it is", anotherFile(), err}
	}
	if err := edit(d); err != nil {
		return nil, err
	}
	after, err := d.bytes()
	if err != nil || bytes.Equal(original, after) {
		return before, err
	}
	if err := checkForeignKept(before, after); err != nil {
		return nil, &FileError{path, "a change would lose something in it", anotherFile(), err}
	}
	return after, nil
}

// checkForeignKept returns an error if an entry of another program would change. It is the last check before a file is
// replaced.
func checkForeignKept(before, after []byte) error {
	a, err := clientcmd.Load(before)
	if err != nil {
		return err
	}
	b, err := clientcmd.Load(after)
	if err != nil {
		return err
	}
	for name, x := range a.Clusters {
		if _, isOwn := x.Extensions[extensionName]; !isOwn && !reflect.DeepEqual(x, b.Clusters[name]) {
			return fmt.Errorf("cluster %s would change", name)
		}
	}
	for name, x := range a.Contexts {
		if _, isOwn := x.Extensions[extensionName]; !isOwn && !reflect.DeepEqual(x, b.Contexts[name]) {
			return fmt.Errorf("context %s would change", name)
		}
	}
	for name, x := range a.AuthInfos {
		if _, isOwn := x.Extensions[extensionName]; !isOwn && !reflect.DeepEqual(x, b.AuthInfos[name]) {
			return fmt.Errorf("user %s would change", name)
		}
	}
	return nil
}
