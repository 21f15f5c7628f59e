//go:build unix

package dump

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestAnArchiveHasItsNameOnceItIsWhole stops the packing in its middle, by a pipe that nobody has written to yet, and looks what is there.
func TestAnArchiveHasItsNameOnceItIsWhole(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "kv-00.tar.gz")
	f, err := TemporaryFolder(target)
	if err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(f.path, "pipe")
	if err := syscall.Mkfifo(pipe, fileMode); err != nil {
		t.Fatal(err)
	}
	packed := make(chan error, 1)
	go func() { packed <- f.Archive(target, "kv-00", time.Now()) }()
	// It can be opened for writing once the packing reads it.
	w, err := os.OpenFile(pipe, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("half an archive has its name already (%v)", err)
	}
	if err := errors.Join(w.Close(), <-packed, f.Close(true)); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 || left[0].Name() != "kv-00.tar.gz" {
		t.Fatalf("left: %v (%v)", left, err)
	}
	if info, err := os.Stat(target); err != nil || info.Mode().Perm() != fileMode || info.Size() == 0 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestAnArchiveIsNeverWrittenOver(t *testing.T) {
	target := filepath.Join(t.TempDir(), "kv-00.tar.gz")
	f, err := TemporaryFolder(target)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close(true) }()
	if err := os.WriteFile(target, []byte("mine"), fileMode); err != nil {
		t.Fatal(err)
	}
	if err := f.Archive(target, "kv-00", time.Now()); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v", err)
	}
	if data, err := os.ReadFile(target); err != nil || string(data) != "mine" {
		t.Errorf("it holds %q now (%v)", data, err)
	}
}
