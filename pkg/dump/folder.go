package dump

import (
	"errors"
	"os"
	"path/filepath"
	"sync"

	"github.com/hcctl/hcctl/internal/safefile"
)

// Of the files of a dump: they tell much of a cluster, if no secrets.
const (
	fileMode   = 0o600
	folderMode = 0o700
)

// Folder is where a dump is gathered: a folder that only its owner may read, or the Spool of an archive.
type Folder struct {
	// root is the folder; nil where it is a spool.
	root  *os.Root
	path  string
	spool *spool

	mu    sync.Mutex
	files int
	bytes int64
	// guest is what has been written of the hosted cluster.
	guest allowance
}

func ofGuest() allowance { return allowance{"what the hosted cluster says of itself", guestBytes, 0} }

// NewFolder makes a folder, which must not exist yet; those above it are made as needed.
func NewFolder(path string) (*Folder, error) {
	if err := makeAbove(path); err != nil {
		return nil, err
	}
	root, err := safefile.Make(path)
	if err != nil {
		return nil, err
	}
	return &Folder{root: root, path: path, guest: ofGuest()}, nil
}

// NewSpool is what an archive, which must not exist yet, is gathered in: a file without a name beside it, so that
// nothing is left of it however the process ends. Folders above the archive are made as needed.
func NewSpool(archive string) (*Folder, error) {
	if err := absent(archive); err != nil {
		return nil, err
	}
	if err := makeAbove(archive); err != nil {
		return nil, err
	}
	s, err := newSpool(filepath.Dir(archive))
	if err != nil {
		return nil, err
	}
	return &Folder{spool: s, guest: ofGuest()}, nil
}

func makeAbove(path string) error {
	return os.MkdirAll(filepath.Dir(path), 0o755) //nolint:gosec // the folder above is as any other; the dump's own is not
}

// Close ends the use of the folder, and removes it with all that is in it if it is told to. A spool is gone in any
// case.
func (f *Folder) Close(remove bool) error {
	if f.spool != nil {
		return f.spool.Close()
	}
	err := f.root.Close()
	if remove {
		err = errors.Join(err, os.RemoveAll(f.path))
	}
	return err
}
