package kubeconfig

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/hcctl/hcctl/internal/safefile"
)

const (
	// privatePrefix begins the names of the folders of Private.
	privatePrefix = "hcctl-exec-"
	// privateLock is the file in one by which its hcctl is known to live.
	privateLock = "lock"
	// privateFile is the kubeconfig in it.
	privateFile = "kubeconfig"
)

// settled is the age, from which on a folder that nobody holds is one left behind: a younger one may not be locked yet.
const settled = time.Minute

// Private writes a kubeconfig where only the user can read it (mode 0600, in a folder of mode 0700), for one command
// that is run. It is a real file rather than one without a name, because commands such as oc project write it. remove
// takes it away; what an hcctl left behind that was killed with -9 goes with the next one. base is the folder to make
// it in, best one in memory. It is a *safefile.Error if others could replace what is in base.
func Private(ctx context.Context, base string, content []byte) (path string, remove func(), err error) {
	folder, err := safefile.Open(ctx, base)
	if err != nil {
		return "", nil, err
	}
	sweepPrivate(folder)
	dir, name, err := folder.MakeFolder(privatePrefix)
	if err != nil {
		return "", nil, errors.Join(err, folder.Close())
	}
	discard := func() {
		_ = folder.Root().RemoveAll(name)
		_ = dir.Close()
		_ = folder.Close()
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

func writePrivate(dir *safefile.Folder, content []byte) error {
	f, err := dir.Root().OpenFile(privateFile, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// sweepPrivate removes folders whose hcctl is no more: the kernel has let go of their lock. Those of other users,
// links, and whatever else Private does not make, are left alone.
func sweepPrivate(base *safefile.Folder) {
	for _, name := range base.Folders(privatePrefix) {
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

// abandoned tells whether nobody uses a folder any more.
func abandoned(dir *safefile.Folder) bool {
	info, err := dir.Root().Stat(".")
	if err != nil || time.Since(info.ModTime()) < settled {
		return false
	}
	held, err := dir.Held(privateLock)
	return err == nil && !held
}
