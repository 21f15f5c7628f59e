package dump

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
)

// output is a file of a dump that is written in pieces. The caller has to close it.
type output struct {
	directory *Directory
	name      string
	file      *os.File // nil in a spool
	size      allowance
}

// create starts an empty file.
func (f *Directory) create(name string) (*output, error) {
	out := &output{directory: f, name: name, size: allowance{"its file", fileBytes, 0}}
	if isForeign(name) {
		out.size.limit = guestFileBytes
	}
	if f.spool != nil {
		f.spool.begin(name)
		return out, nil
	}
	if err := f.root.MkdirAll(path.Dir(name), directoryMode); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	file, err := f.root.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, fileMode)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	out.file = file
	return out, nil
}

// write appends data to the file. The data must have no secrets. It fails with *FullError at the size limit.
func (o *output) write(data []byte) error {
	if err := o.directory.reserve(o, int64(len(data))); err != nil {
		return err
	}
	var err error
	if o.file == nil {
		err = o.directory.spool.append(o.name, data)
	} else {
		var n int
		if n, err = o.file.Write(data); err == nil && n < len(data) {
			err = io.ErrShortWrite
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", o.name, err)
	}
	return nil
}

// close closes the file and counts it.
func (o *output) close() error {
	o.directory.mu.Lock()
	o.directory.files++
	o.directory.mu.Unlock()
	if o.file == nil {
		return nil
	}
	return o.file.Close()
}

// reserve counts n bytes against the limits of the file, the hosted cluster and the dump.
func (f *Directory) reserve(o *output, n int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	limits := []*allowance{&o.size, {"the dump", allBytes, f.bytes}}
	switch {
	case isGuestLog(o.name):
		limits = append(limits, &f.guestLogs)
	case isForeign(o.name):
		limits = append(limits, &f.guest)
	}
	for _, a := range limits {
		if a.used+n > a.limit {
			return &FullError{a.what, a.limit}
		}
	}
	for _, a := range limits {
		a.used += n
	}
	f.bytes += n
	return nil
}

// write writes a file. The data must have no secrets.
func (f *Directory) write(name string, data []byte) error {
	out, err := f.create(name)
	if err != nil {
		return err
	}
	return errors.Join(out.write(data), out.close())
}
