package cmdutil

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/hcctl/hcctl/internal/safefile"
	"github.com/hcctl/hcctl/pkg/cli/internal/credentials"
)

// Files reads the files that the call and its documents name.
type Files struct {
	streams *Streams
	call    *Call
	getenv  func(string) string
	// Interrupted is closed by the first signal; it may be nil.
	Interrupted <-chan struct{}
	// GaveUp is set if a signal interrupted the reading of a file, whatever the error.
	GaveUp bool
	// FilesFrom lists further directories in which a document may name files. AllowKinds lists further kinds of
	// manifests, see BindAllowed.
	FilesFrom, AllowKinds []string
	// read lists the files that documents named, for confirmations and plans.
	read []string
	// inUse holds the credentials of the user; nil until they are needed.
	inUse *credentials.InUse
}

// maxInputBytes limits a file that a flag names, and standard input.
const maxInputBytes = 16 << 20

// File reads the file that a flag names; "-" is standard input and "" is nothing. It may be a FIFO, such as a shell's
// <(command), and a signal ends the reading.
func (f *Files) File(flag, path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	type content struct {
		data []byte
		err  error
	}
	whole := make(chan content, 1)
	go func() {
		data, err := f.readInput(path)
		whole <- content{data, err}
	}()
	select {
	case <-f.Interrupted:
		f.GaveUp = true
		return nil, context.Canceled
	case c := <-whole:
		switch {
		case c.err != nil:
			return nil, fmt.Errorf("%s: cannot read it: %w", flag, c.err)
		case len(c.data) == 0:
			return nil, fmt.Errorf("%s: %s", flag, emptyFile(path))
		}
		return c.data, nil
	}
}

func emptyFile(path string) string {
	if path == "-" {
		return "standard input is empty"
	}
	return fmt.Sprintf("the file %s is empty", path)
}

func (f *Files) readInput(path string) ([]byte, error) {
	in, name := f.streams.In, "standard input"
	if path != "-" {
		name = path
		file, err := os.Open(path) //nolint:gosec // the user names the file
		if err != nil {
			return nil, err
		}
		defer func() { _ = file.Close() }()
		in = file
	}
	data, err := io.ReadAll(io.LimitReader(in, maxInputBytes+1))
	if err == nil && len(data) > maxInputBytes {
		err = fmt.Errorf("%s has more than %d MiB", name, maxInputBytes>>20)
	}
	return data, err
}

// UnderSudo lets root change files of the user that called sudo, as git does. The kubeconfig in that user's home
// directory belongs to that user.
func UnderSudo(ctx context.Context, getenv func(string) string) context.Context {
	uid, err := strconv.ParseUint(getenv("SUDO_UID"), 10, 32)
	if os.Geteuid() != 0 || err != nil {
		return ctx
	}
	return safefile.AlsoOwnedBy(ctx, uint32(uid))
}

// WriteNew writes a new file that only this user can read (mode 0600), since a proxy's URL may contain a password. The
// file gets its name only when it is complete and on disk.
func WriteNew(path string, data []byte) error {
	exists := WithHint(fileExistsError(path), "give another name, or remove it first")
	if _, err := os.Lstat(path); err == nil {
		return exists
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".hcctl-tmp-")
	if err != nil {
		return unwritable(path, err)
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return unwritable(path, err)
	}
	err = os.Link(f.Name(), path)
	switch {
	case errors.Is(err, fs.ErrExist):
		return exists
	case err == nil:
		return nil
	}
	// Without hard links, check first and rename.
	if _, err := os.Lstat(path); err == nil {
		return exists
	}
	return unwritable(path, os.Rename(f.Name(), path))
}

// unwritable returns an error that names the requested file, not the temporary one.
func unwritable(path string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s cannot be written: %w", path, err)
}

// fileExistsError is the path of a file that exists already.
type fileExistsError string

func (e fileExistsError) Error() string      { return string(e) + " exists, and is never overwritten" }
func (fileExistsError) Is(target error) bool { return target == fs.ErrExist }
