package kubeconfig

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/hcctl/hcctl/internal/safefile"
)

const (
	// privatePrefix is the name prefix of the directories of WritePrivate.
	privatePrefix = "hcctl-exec-"
	// privateLock is the lock file of such a directory: while it is locked, its hcctl is alive.
	privateLock = "lock"
	// privateFile is the kubeconfig in such a directory.
	privateFile = "kubeconfig"
)

// staleAge is the minimum age of an abandoned directory. A younger one may not be locked yet.
const staleAge = time.Minute

// WritePrivate writes a kubeconfig for one command that only the user can read (mode 0600, in a directory of mode 0700
// below base). remove deletes it; the next call deletes the files of a killed hcctl.
//
// It is a named file, because commands such as oc project write to it. The error is a *safefile.Error if other users
// could replace files in base.
func WritePrivate(ctx context.Context, base string, content []byte) (path string, remove func(), err error) {
	directory, err := safefile.Open(ctx, base)
	if err != nil {
		return "", nil, err
	}
	sweepPrivate(directory)
	dir, name, err := directory.MakeDirectory(privatePrefix)
	if err != nil {
		return "", nil, errors.Join(err, directory.Close())
	}
	discard := func() {
		_ = directory.Root().RemoveAll(name)
		_ = dir.Close()
		_ = directory.Close()
	}
	held, err := dir.Lock(privateLock, nil)
	if err == nil {
		err = writePrivate(dir, content)
	}
	if err != nil {
		discard()
		return "", nil, err
	}
	return dir.Join(privateFile), func() { discard(); held.Release() }, nil
}

func writePrivate(dir *safefile.Directory, content []byte) error {
	f, err := dir.Root().OpenFile(privateFile, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// sweepPrivate removes directories of dead processes, whose lock is free. It skips links and directories of other
// users.
func sweepPrivate(base *safefile.Directory) {
	for _, name := range base.Directories(privatePrefix) {
		dir, err := base.Sub(name)
		if err != nil {
			continue
		}
		if abandoned(dir) {
			_ = base.Root().RemoveAll(name)
		}
		_ = dir.Close()
	}
}

// abandoned reports whether no process uses a directory.
func abandoned(dir *safefile.Directory) bool {
	info, err := dir.Root().Stat(".")
	if err != nil || time.Since(info.ModTime()) < staleAge {
		return false
	}
	held, err := dir.Held(privateLock)
	return err == nil && !held
}
