package safefile

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/hcctl/hcctl/internal/hint"
)

// ErrLocked means that another process has the lock.
var ErrLocked = errors.New("another process has the lock")

// Lock is a kernel lock on a file. It ends with the process.
type Lock struct {
	directory *Directory
	name      string
	file      *os.File
	info      fs.FileInfo
}

// Lock locks a file and creates it with the content mark if necessary. It does not wait and returns ErrLocked. A file
// of another user or with other content is an *Error and is not written.
func (f *Directory) Lock(name string, mark []byte) (*Lock, error) {
	for range attempts {
		l, err := f.tryLock(name, mark)
		if l != nil || err != nil {
			return l, err
		}
	}
	return nil, ErrLocked
}

// tryLock tries once. It returns neither a lock nor an error if the file disappeared meanwhile.
func (f *Directory) tryLock(name string, mark []byte) (*Lock, error) {
	file, info, err := f.lockFile(name)
	if file == nil || err != nil {
		return nil, err
	}
	if err = lockNow(file); err == nil && !f.Is(name, info) {
		return nil, file.Close() // its last owner removed it before it was locked here
	}
	if err == nil {
		err = f.sign(name, file, mark)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &Lock{f, name, file, info}, nil
}

// lockFile opens or creates the file. It returns neither a file nor an error if the file changed meanwhile.
func (f *Directory) lockFile(name string) (*os.File, fs.FileInfo, error) {
	file, info, err := f.open(name, os.O_RDWR)
	if err == nil {
		if problem := writable(info); problem != "" {
			return nil, nil, errors.Join(&Error{f.Join(name), problem, hint.New("remove it")}, file.Close())
		}
		return file, info, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	file, err = f.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, withPath(f.Join(name), err)
	}
	if info, err = file.Stat(); err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return file, info, nil
}

// sign writes the mark to an empty file, by its descriptor. A file with other content is not a lock.
func (f *Directory) sign(name string, file *os.File, mark []byte) error {
	held, err := io.ReadAll(io.LimitReader(file, int64(len(mark))+1))
	if err != nil || bytes.Equal(held, mark) {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if len(held) > 0 || manyNames(info) {
		return &Error{f.Join(name), "it is not a lock file of hcctl", hint.New("look what it is, and remove it")}
	}
	if _, err = file.WriteAt(mark, 0); err != nil && f.Is(name, info) {
		// After a failed write it removes the empty lock file. The lock is held, so no other process uses the file.
		err = errors.Join(err, f.root.Remove(name))
	}
	return err
}

// Release removes the file, if it is still the locked one, and unlocks it.
func (l *Lock) Release() {
	if l.directory.Is(l.name, l.info) {
		_ = l.directory.root.Remove(l.name)
	}
	_ = l.file.Close()
}

// Held reports whether a process has locked a file, without creating the file. It returns an *Error for a file of
// another user.
func (f *Directory) Held(name string) (bool, error) {
	file, _, err := f.open(name, os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = file.Close() }()
	err = lockNow(file)
	if errors.Is(err, ErrLocked) {
		return true, nil
	}
	return false, err
}
