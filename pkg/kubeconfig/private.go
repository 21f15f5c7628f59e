package kubeconfig

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// privatePattern names the folders of Private.
const privatePattern = "hcctl-exec-"

// settled is the age, from which on a folder that nobody holds is one left behind: a younger one may not be locked yet.
const settled = time.Minute

// Private writes a kubeconfig where only the user can read it (mode 0600, in a folder of mode 0700), for one command that is run.
// It is a real file rather than one without a name, because commands such as oc project write it. remove takes it away; what an
// hcctl left behind that was killed with -9 goes with the next one. base is the folder to make it in, best one in memory.
func Private(base string, content []byte) (path string, remove func(), err error) {
	sweepPrivate(base)
	dir, err := os.MkdirTemp(base, privatePattern)
	if err != nil {
		return "", nil, err
	}
	held := flock.New(filepath.Join(dir, "lock"), flock.SetPermissions(0o600))
	remove = func() {
		_ = os.RemoveAll(dir)
		_ = held.Unlock()
	}
	path = filepath.Join(dir, "kubeconfig")
	ok, err := held.TryLock()
	if err == nil && !ok {
		err = errors.New("the lock in a new folder is taken")
	}
	if err == nil {
		err = os.WriteFile(path, content, 0o600)
	}
	if err != nil {
		remove()
		return "", nil, err
	}
	return path, remove, nil
}

// sweepPrivate removes folders whose hcctl is no more: the kernel has let go of their lock.
func sweepPrivate(base string) {
	left, err := filepath.Glob(filepath.Join(globbed(base), privatePattern+"*"))
	if err != nil {
		return
	}
	for _, dir := range left {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || time.Since(info.ModTime()) < settled {
			continue
		}
		l := flock.New(filepath.Join(dir, "lock"), flock.SetPermissions(0o600))
		if ok, err := l.TryLock(); err == nil && ok { // another user's folder cannot be entered
			_ = os.RemoveAll(dir)
			_ = l.Unlock()
		}
	}
}
