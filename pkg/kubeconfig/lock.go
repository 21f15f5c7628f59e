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

	"github.com/gofrs/flock"
)

const (
	// patience is how long hcctl waits for others to be done with a file.
	patience = 30 * time.Second
	// retry is how often it looks whether they are.
	retry = 5 * time.Millisecond
)

// lock keeps every other hcctl away from a file. It is the kernel's lock of a file beside it, which ends with the process
// however that ends, and it leaves nothing behind.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	name := lockName(path)
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		l := flock.New(name, flock.SetPermissions(0o600))
		ok, err := l.TryLockContext(waiting, retry)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case waiting.Err() != nil:
			return nil, &FileError{path, fmt.Sprintf("another hcctl has been using it for %s", patience), "try again once it is done", nil}
		case err != nil || !ok:
			return nil, &FileError{path, "nothing can be written in its folder", anotherFile, err}
		}
		// The one before may have removed the file between our opening and our locking it: what we hold then is nobody's lock.
		if held, err := l.Stat(); err == nil {
			if there, err := os.Stat(name); err == nil && os.SameFile(held, there) {
				unlock := func() { _ = os.Remove(name); _ = l.Unlock() }
				if err := os.WriteFile(name, mark, 0o600); err != nil {
					unlock()
					return nil, &FileError{path, "nothing can be written in its folder", anotherFile, err}
				}
				return unlock, nil
			}
		}
		_ = l.Unlock()
	}
}

func lockName(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".hcctl-lock")
}

// mark is what stands in hcctl's lock file, and so in kubectl's where hcctl makes that: one that is left behind by a killed hcctl
// is known by it.
var mark = []byte("hcctl\n")

// guarded calls f while it holds the lock file that kubectl and oc make when they write a kubeconfig: its name with ".lock". The
// caller holds hcctl's own lock, so that a lock file with hcctl's mark is that of a process that is no more.
func guarded(ctx context.Context, path, target string, f func() error) error {
	names := []string{target + ".lock"}
	if given, err := filepath.Abs(path); err == nil && given != target {
		names = append(names, given+".lock") // kubectl does not follow links when it locks
	}
	for _, name := range names {
		if err := hold(ctx, target, name); err != nil {
			return err
		}
		defer func() { _ = os.Remove(name) }()
	}
	return f()
}

// hold makes a lock file, and waits for whoever has it.
func hold(ctx context.Context, path, name string) error {
	var tick *time.Ticker
	begin := time.Now()
	for {
		err := take(lockName(path), name)
		if err == nil {
			return nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return &FileError{path, "nothing can be written in its folder", anotherFile, err}
		}
		if held, err := os.ReadFile(name); err == nil && bytes.Equal(held, mark) { //nolint:gosec // beside the user's own kubeconfig
			_ = os.Remove(name)
			continue
		}
		if time.Since(begin) > patience {
			return &FileError{path, fmt.Sprintf("%s has been there for %s, so another program is writing it, or was killed while it did", name, patience),
				"if no kubectl or oc is running: rm " + name, nil}
		}
		if tick == nil {
			tick = time.NewTicker(retry)
			defer tick.Stop()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// take makes a lock file that has hcctl's mark from its first moment on: it is a second name of hcctl's own lock file. Where a
// file cannot have two names, the mark comes a moment later.
func take(own, name string) error {
	err := os.Link(own, name)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // beside the user's own kubeconfig
	if err != nil {
		return err
	}
	_, err = f.Write(mark)
	return errors.Join(err, f.Close())
}
