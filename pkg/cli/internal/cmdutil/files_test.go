package cmdutil

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestNewFilesAreWholeAndTheUsersOwn(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.yaml")
	if err := WriteNew(path, []byte("secret")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if err := WriteNew(path, []byte("other")); err == nil || !strings.Contains(err.Error(), "never overwritten") {
		t.Errorf("it was overwritten: %v", err)
	}
	if data, err := os.ReadFile(path); string(data) != "secret" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(dir, "elsewhere"), link); err != nil {
		t.Fatal(err)
	}
	if err := WriteNew(link, []byte("x")); err == nil {
		t.Error("a link was written through")
	}
	if err := WriteNew(filepath.Join(dir, "no", "a"), nil); err == nil || strings.Contains(err.Error(), "hcctl-tmp") ||
		!strings.Contains(err.Error(), filepath.Join(dir, "no", "a")) {
		t.Errorf("got %v", err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 2 {
		t.Errorf("left over: %v, %v", left, err)
	}
}
