package density

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/safefile"
)

// maxRecordBytes limits a record. A record of a thousand clusters has about 10 MB.
const maxRecordBytes = 256 << 20

// Files in a run's directory.
const (
	// RecordFile is the record and the result of a run. A run continues from it.
	RecordFile = "density.json"
	// ChartFile is one HTML page of charts.
	ChartFile = "density.html"
	lockFile  = ".hcctl-lock"
)

// directory is the directory of a run. Only the user may read it.
type directory struct {
	path string
	// dir and lock are nil if the run is only read.
	dir  *safefile.Directory
	lock *safefile.Lock
}

// openDirectory opens the directory, makes it if necessary, and locks it for this process. It refuses a directory in
// which others can replace files.
func openDirectory(ctx context.Context, path string) (*directory, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("%s: %w", hint.Flag("out"), err)
	}
	dir, err := safefile.Open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", hint.Flag("out"), err)
	}
	lock, err := dir.Lock(lockFile, nil)
	if errors.Is(err, safefile.ErrLocked) {
		used := failure.New(failure.Other, hint.New("wait until it is done, or give another %s", hint.Flag("out")),
			"%s: another hcctl is using this directory", path)
		return nil, errors.Join(used, dir.Close())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", hint.Flag("out"), err), dir.Close())
	}
	return &directory{path: path, dir: dir, lock: lock}, nil
}

func (f *directory) close() {
	if f.lock == nil {
		return
	}
	f.lock.Release()
	_ = f.dir.Close()
}

// read returns the record, or nil if there is none yet.
func (f *directory) read() (*Record, error) { return Read(f.path) }

// Read reads the record of a directory. It returns nil if there is none.
func Read(path string) (*Record, error) {
	name := filepath.Join(path, RecordFile)
	data, err := safefile.Read(name, maxRecordBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", hint.Flag("out"), err)
	}
	r := &Record{}
	if err = json.Unmarshal(data, r); err == nil && (r.Kind != recordKind || r.Run == "") {
		err = fmt.Errorf("it has no kind %s or no run", recordKind)
	}
	if err != nil {
		return nil, failure.New(failure.Other, hint.New("give another %s; with %s ID a run continues by the label of its "+
			"clusters, %s", hint.Flag("out"), hint.Flag("run"), RunLabel), "%s is not a record of a run: %w", name, err)
	}
	return r, nil
}

// write replaces a file atomically, so that a reader, also after a killed run, finds the old or the new content.
func (f *directory) write(name string, data []byte) error {
	if err := f.dir.Write(name, data); err != nil {
		return fmt.Errorf("%s: %w", hint.Flag("out"), err)
	}
	return nil
}

// sweep removes temporary files of a killed hcctl.
func (f *directory) sweep() { f.dir.SweepTemps() }

func encoded(v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", "  ")
	return append(data, '\n'), err
}
