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

	"github.com/hcctl/hcctl/internal/safefile"
)

const (
	// patience is how long hcctl waits for others to be done with a file.
	patience = 30 * time.Second
	// retry is how often it looks whether they are.
	retry = 5 * time.Millisecond
)

// mark is what stands in hcctl's lock file, and so in kubectl's where hcctl makes that: one that is left behind by a
// killed hcctl is known by it.
var mark = []byte("hcctl\n")

// lockName is hcctl's lock file of a kubeconfig.
func lockName(name string) string { return "." + name + ".hcctl-lock" }

// lock keeps every other hcctl away from a file. It leaves nothing behind, and ends with the process however that ends.
func (f *file) lock(ctx context.Context) (*safefile.Lock, error) {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		l, err := f.folder.Lock(lockName(f.name), mark)
		if err == nil {
			return l, nil
		}
		if !errors.Is(err, safefile.ErrLocked) {
			return nil, fileError(f.path(), "nothing can be written in its folder", err)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-waiting.Done():
			return nil, &FileError{
				f.path(), fmt.Sprintf("another hcctl has been using it for %s", patience), "try again once it is done", nil,
			}
		case <-time.After(retry):
		}
	}
}

// guarded calls do while it holds the lock file that kubectl and oc make when they write a kubeconfig: its name with
// ".lock". The caller holds hcctl's own lock, so that a lock file with hcctl's mark is that of a process that is no
// more.
func (f *file) guarded(ctx context.Context, do func() error) error {
	release, err := f.hold(ctx, f.folder, f.name+".lock")
	if err != nil {
		return err
	}
	defer release()
	if f.given == f.path() {
		return do()
	}
	// kubectl does not follow links when it locks.
	beside, err := safefile.Open(ctx, filepath.Dir(f.given))
	if err != nil {
		return fileError(f.given, "nothing can be written in its folder", err)
	}
	defer func() { _ = beside.Close() }()
	if name := filepath.Base(f.given); name != f.name || beside.Path() != f.folder.Path() {
		release, err := f.hold(ctx, beside, name+".lock")
		if err != nil {
			return err
		}
		defer release()
	}
	return do()
}

// hold makes a lock file, and waits for whoever has it.
func (f *file) hold(ctx context.Context, folder *safefile.Folder, name string) (release func(), err error) {
	var tick *time.Ticker
	begin := time.Now()
	for {
		release, err := f.take(folder, name)
		if err == nil {
			return release, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, fileError(f.path(), "nothing can be written in its folder", err)
		}
		stale, err := leftBehind(folder, name)
		if err != nil {
			return nil, err
		}
		if stale {
			continue
		}
		if time.Since(begin) > patience {
			return nil, inTheWay(f.path(), folder.Join(name))
		}
		if tick == nil {
			tick = time.NewTicker(retry)
			defer tick.Stop()
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
}

// inTheWay says that a lock file stays.
func inTheWay(path, lock string) error {
	problem := "%s has been there for %s, so another program is writing it, or was killed while it did"
	return &FileError{path, fmt.Sprintf(problem, lock, patience), "if no kubectl or oc is running: rm " + lock, nil}
}

// leftBehind removes a lock file that a killed hcctl left; another's stays. What no program makes as its lock is an
// error.
func leftBehind(folder *safefile.Folder, name string) (bool, error) {
	info, err := folder.Root().Lstat(name)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist), nil
	}
	if !info.Mode().IsRegular() {
		return false, &FileError{
			folder.Join(name), "it is in the way of a lock file, but no file", "look what it is, and remove it", nil,
		}
	}
	held, read, err := folder.Read(name, int64(len(mark)))
	if err != nil || !bytes.Equal(held, mark) || !folder.Is(name, read) {
		return false, nil //nolint:nilerr // it is somebody's, and may be unreadable
	}
	return folder.Root().Remove(name) == nil, nil
}

// take makes a lock file that has hcctl's mark from its first moment on: it is a second name of hcctl's own lock file.
// Where a file cannot have two names, the mark comes a moment later.
func (f *file) take(folder *safefile.Folder, name string) (release func(), err error) {
	err = os.Link(f.folder.Join(lockName(f.name)), folder.Join(name))
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = sign(folder, name)
	}
	if err != nil {
		return nil, err
	}
	made, err := folder.Own(name)
	if err != nil {
		return nil, err
	}
	return func() {
		if folder.Is(name, made) {
			_ = folder.Root().Remove(name)
		}
	}, nil
}

// sign makes a new file with hcctl's mark.
func sign(folder *safefile.Folder, name string) error {
	f, err := folder.Root().OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(mark)
	return errors.Join(err, f.Close())
}
