package density

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hcctl/hcctl/internal/safefile"
)

// largest is the size, in bytes, of a record that is read: one of a thousand clusters has about ten MB.
const largest = 256 << 20

// The files of a run's folder.
const (
	// RecordFile is the record, and with it the result; a run goes on from there.
	RecordFile = "density.json"
	// ChartFile is one page of charts that needs nothing else.
	ChartFile = "density.html"
	lockFile  = ".hcctl-lock"
)

// folder is where a run keeps what it knows. It is the user's alone: names and times of clusters are nobody else's
// business.
type folder struct {
	path string
	// dir and lock are nil where the run is only looked at.
	dir  *safefile.Folder
	lock *safefile.Lock
}

// inUseError means that another hcctl is at the same run.
type inUseError struct{ path string }

func (e *inUseError) Error() string { return e.path + ": another hcctl is using this folder" }

// Hint is what to do.
func (*inUseError) Hint() string { return "wait until it is done, or give another --out" }

// openFolder makes the folder if it is absent, and keeps every other hcctl out of it until it is closed or the
// process ends. A folder in which others can replace files is refused.
func openFolder(ctx context.Context, path string) (*folder, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	dir, err := safefile.Open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	lock, err := dir.Lock(lockFile, nil)
	if errors.Is(err, safefile.ErrLocked) {
		return nil, errors.Join(&inUseError{path}, dir.Close())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("--out: %w", err), dir.Close())
	}
	return &folder{path: path, dir: dir, lock: lock}, nil
}

func (f *folder) close() {
	if f.lock == nil {
		return
	}
	f.lock.Release()
	_ = f.dir.Close()
}

// read returns the record, nil if there is none yet.
func (f *folder) read() (*Record, error) { return Read(f.path) }

// Read reads the record of a folder; nil if there is none.
func Read(path string) (*Record, error) {
	name := filepath.Join(path, RecordFile)
	data, err := safefile.Read(name, largest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	r := &Record{}
	if err := json.Unmarshal(data, r); err != nil || r.Kind != recordKind || r.Run == "" {
		return nil, &strangeError{name, err}
	}
	return r, nil
}

// strangeError means that the file is not a record.
type strangeError struct {
	path string
	err  error
}

func (e *strangeError) Error() string {
	if e.err != nil {
		return fmt.Sprintf("%s is no record of a run: %v", e.path, e.err)
	}
	return e.path + " is no record of a run: it has no kind " + recordKind + " or no run"
}
func (e *strangeError) Unwrap() error { return e.err }

// Hint is how to go on.
func (*strangeError) Hint() string {
	return "give another --out; with --run ID a run goes on by the label of its clusters, " + RunLabel
}

// write puts a file in place in one go, so that a reader, or a run that is killed, finds the old one or the new one.
func (f *folder) write(name string, data []byte) error {
	if err := f.dir.Write(name, data); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return nil
}

// sweep removes what a hcctl that was killed left half written.
func (f *folder) sweep() { f.dir.SweepTemps() }

func encoded(v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", "  ")
	return append(data, '\n'), err
}
