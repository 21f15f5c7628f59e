package dump

import (
	"errors"
	"os"
	"path/filepath"
	"sync"

	"github.com/hcctl/hcctl/internal/safefile"
)

// The modes of the files of a dump. They have no secrets, but many details of a cluster.
const (
	fileMode      = 0o600
	directoryMode = 0o700
)

// Directory is the place where a dump is collected: a directory that only its owner may read, or the spool of an
// archive.
type Directory struct {
	// root is the directory; nil for a spool.
	root  *os.Root
	path  string
	spool *spool

	mu    sync.Mutex
	files int
	bytes int64
	// guest limits the objects from the hosted cluster, guestLogs its logs.
	guest, guestLogs allowance
}

// counts returns the current number of files and their total size in bytes.
func (f *Directory) counts() (files int, size int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.files, f.bytes
}

func guestAllowance() allowance {
	return allowance{"what the hosted cluster says of itself", guestBytes, 0}
}

func guestLogAllowance(limit int64) allowance {
	return allowance{"what the hosted cluster logs", limit, 0}
}

// NewDirectory creates a new directory and missing parents. It fails if the directory exists.
func NewDirectory(path string) (*Directory, error) {
	if err := makeParents(path); err != nil {
		return nil, err
	}
	root, err := safefile.Make(path)
	if err != nil {
		return nil, err
	}
	return &Directory{root: root, path: path, guest: guestAllowance(),
		guestLogs: guestLogAllowance(defaultGuestLogBytes)}, nil
}

// NewSpool creates the anonymous file in which an archive is collected, and missing parents. Nothing of it remains even
// if the process is killed. It fails if the archive exists.
func NewSpool(archive string) (*Directory, error) {
	if err := mustNotExist(archive); err != nil {
		return nil, err
	}
	if err := makeParents(archive); err != nil {
		return nil, err
	}
	s, err := newSpool(filepath.Dir(archive))
	if err != nil {
		return nil, err
	}
	return &Directory{spool: s, guest: guestAllowance(),
		guestLogs: guestLogAllowance(defaultGuestLogBytes)}, nil
}

func makeParents(path string) error {
	return os.MkdirAll(filepath.Dir(path), 0o755) //nolint:gosec // the one above is as any other; the dump's own is not
}

// Close closes the directory, and deletes it if remove is set. A spool is always deleted.
func (f *Directory) Close(remove bool) error {
	if f.spool != nil {
		return f.spool.Close()
	}
	err := f.root.Close()
	if remove {
		err = errors.Join(err, os.RemoveAll(f.path))
	}
	return err
}
