package dump

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Nothing of a dump has a name before it is whole: however the process ends until then, nothing is left behind.
func TestAnArchiveHasItsNameOnceItIsWhole(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "kv-00.tar.gz")
	f, err := NewSpool(target)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.write("a.txt", bytes.Repeat([]byte("a"), 1<<20)); err != nil {
		t.Fatal(err)
	}
	if there, err := os.ReadDir(dir); err != nil || len(there) != 0 {
		t.Errorf("there is already: %v (%v)", there, err)
	}
	if err := f.spool.pack(look(func([]byte) (int, error) {
		if there, err := os.ReadDir(dir); err != nil || len(there) != 0 {
			t.Errorf("while it is packed there is: %v (%v)", there, err)
		}
		return 0, errors.New("disk full")
	}), "kv-00", time.Now()); err == nil {
		t.Error("a disk that is full went unseen")
	}
	if err := errors.Join(f.Archive(target, "kv-00", time.Now()), f.Close(true)); err != nil {
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

type look func([]byte) (int, error)

func (l look) Write(p []byte) (int, error) { return l(p) }

func TestAnArchiveIsNeverWrittenOver(t *testing.T) {
	target := filepath.Join(t.TempDir(), "kv-00.tar.gz")
	f, err := NewSpool(target)
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

// Where a file without a name cannot be given one, a copy of it is.
func TestACopyOfAnArchiveIsNeverWrittenOver(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "kv-00.tar.gz")
	file, done, err := unlinkedTempFile(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = done() }()
	if _, err := file.WriteString("whole"); err != nil {
		t.Fatal(err)
	}
	if err := copyFile(file, target); err != nil {
		t.Fatal(err)
	}
	if err := copyFile(file, target); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v", err)
	}
	data, err := os.ReadFile(target)
	if there, dirErr := os.ReadDir(dir); string(data) != "whole" || err != nil || len(there) != 1 {
		t.Errorf("%q (%v), and in the directory %v (%v)", data, err, there, dirErr)
	}
}
