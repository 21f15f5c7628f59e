package kubeconfig

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/safefile"
)

const (
	// lockTimeout is the maximum time that hcctl waits for another program to release a file.
	lockTimeout = 30 * time.Second
	// lockPoll is the interval of that wait.
	lockPoll = 5 * time.Millisecond
)

// lockMark is the content of the lock files that hcctl creates, its own and kubectl's. It identifies a lock left by a
// killed hcctl.
var lockMark = []byte("hcctl\n")

// lockName returns the name of hcctl's lock file for a kubeconfig.
func lockName(name string) string { return "." + name + ".hcctl-lock" }

// lock excludes other hcctl processes from a file. The lock ends with the process.
func (f *file) lock(ctx context.Context) (*safefile.Lock, error) {
	waiting, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	for {
		l, err := f.directory.Lock(lockName(f.name), lockMark)
		if err == nil {
			return l, nil
		}
		if !errors.Is(err, safefile.ErrLocked) {
			return nil, fileError(f.path(), "nothing can be written in its directory", err)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-waiting.Done():
			return nil, &FileError{
				f.path(), fmt.Sprintf("another hcctl has been using it for %s", lockTimeout),
				hint.New("try again once it is done"), nil,
			}
		case <-time.After(lockPoll):
		}
	}
}

// withKubectlLock calls do while it holds the lock file of kubectl and oc: the file's name with ".lock". The caller
// holds hcctl's own lock, so an existing lock file with hcctl's mark belongs to a dead process.
func (f *file) withKubectlLock(ctx context.Context, do func() error) error {
	release, err := f.acquireLock(ctx, f.directory, f.name+".lock")
	if err != nil {
		return err
	}
	defer release()
	if f.given == f.path() {
		return do()
	}
	// kubectl locks the link, not its target.
	beside, err := safefile.Open(ctx, filepath.Dir(f.given))
	if err != nil {
		return fileError(f.given, "nothing can be written in its directory", err)
	}
	defer func() { _ = beside.Close() }()
	if name := filepath.Base(f.given); name != f.name || beside.Path() != f.directory.Path() {
		release, err := f.acquireLock(ctx, beside, name+".lock")
		if err != nil {
			return err
		}
		defer release()
	}
	return do()
}

// acquireLock creates a lock file, and waits while another program has it.
func (f *file) acquireLock(
	ctx context.Context, directory *safefile.Directory, name string) (release func(), err error) {
	var tick *time.Ticker
	begin := time.Now()
	for {
		release, err := f.createLock(directory, name)
		if err == nil {
			return release, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, fileError(f.path(), "nothing can be written in its directory", err)
		}
		stale, err := removeStale(directory, name)
		if err != nil {
			return nil, err
		}
		if stale {
			continue
		}
		if time.Since(begin) > lockTimeout {
			return nil, staleLockError(f.path(), directory.Join(name))
		}
		if tick == nil {
			tick = time.NewTicker(lockPoll)
			defer tick.Stop()
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
}

// staleLockError returns the error for a lock file that is not removed in time.
func staleLockError(path, lock string) error {
	problem := "%s has been there for %s, so another program is writing it, or was killed while it did"
	return &FileError{path, fmt.Sprintf(problem, lock, lockTimeout),
		hint.New("if no kubectl or oc is running: rm %s", lock), nil}
}

// removeStale removes the lock file of a killed hcctl, but not that of another program. It fails if the path is not a
// regular file.
func removeStale(directory *safefile.Directory, name string) (bool, error) {
	info, err := directory.Root().Lstat(name)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist), nil
	}
	if !info.Mode().IsRegular() {
		return false, &FileError{
			directory.Join(name), "it is in the way of a lock file, but is not a file",
			hint.New("look what it is, and remove it"), nil,
		}
	}
	held, read, err := directory.Read(name, int64(len(lockMark)))
	if err != nil || !bytes.Equal(held, lockMark) || !directory.Is(name, read) {
		return false, nil //nolint:nilerr // the lock of another process may be unreadable
	}
	return directory.Root().Remove(name) == nil, nil
}

// createLock creates a lock file as a hard link to hcctl's own lock file, so that it has hcctl's mark from the start.
// Without hard links the mark is written a moment later.
func (f *file) createLock(directory *safefile.Directory, name string) (release func(), err error) {
	err = os.Link(f.directory.Join(lockName(f.name)), directory.Join(name))
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = writeMark(directory, name)
	}
	if err != nil {
		return nil, err
	}
	made, err := directory.Own(name)
	if err != nil {
		return nil, err
	}
	return func() {
		if directory.Is(name, made) {
			_ = directory.Root().Remove(name)
		}
	}, nil
}

// writeMark creates a file with hcctl's mark.
func writeMark(directory *safefile.Directory, name string) error {
	f, err := directory.Root().OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(lockMark)
	return errors.Join(err, f.Close())
}
