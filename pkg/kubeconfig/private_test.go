package kubeconfig_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hcctl/hcctl/pkg/kubeconfig"
)

func TestPrivate(t *testing.T) {
	base := t.TempDir()
	path, remove, err := kubeconfig.WritePrivate(t.Context(), base, []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	for p, mode := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(p); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", p, info.Mode(), err)
		}
	}
	if content(t, path) != good {
		t.Error(content(t, path))
	}
	remove()
	if left, err := os.ReadDir(base); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestPrivateLeftBehind: what a killed hcctl left goes with the next one; what is in use or is young stays.
func TestPrivateLeftBehind(t *testing.T) {
	base := t.TempDir()
	used, remove, err := kubeconfig.WritePrivate(t.Context(), base, []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	dead, young := filepath.Join(base, "hcctl-exec-4711"), filepath.Join(base, "hcctl-exec-4712")
	for _, dir := range []string{dead, young} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "kubeconfig"), good)
	}
	old := time.Now().Add(-time.Hour)
	for _, dir := range []string{dead, filepath.Dir(used)} {
		if err := os.Chtimes(dir, old, old); err != nil {
			t.Fatal(err)
		}
	}
	_, second, err := kubeconfig.WritePrivate(t.Context(), base, []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	defer second()
	if _, err := os.Stat(dead); !errors.Is(err, os.ErrNotExist) {
		t.Error("what a killed hcctl left is still there")
	}
	for _, path := range []string{used, young} {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}
