package safefile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A tree has what is below its directories, and nothing that a path or a link leads to elsewhere.
func TestTreesEndAtTheirDirectories(t *testing.T) {
	top := t.TempDir()
	t.Chdir(top)
	for _, dir := range []string{"repo/sub", "shared", "home"} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"repo/a", "repo/sub/b", "shared/c", "home/d", "repo2"} {
		if err := os.WriteFile(path, []byte(path), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{"repo/in": "sub/b", "repo/out": "../home/d", "repo/sub/up": "../a",
		"repo/shared": "../shared", "repo/loop": "loop", "shared/out": "../home/d"} {
		if err := os.Symlink(to, from); err != nil {
			t.Fatal(err)
		}
	}
	tree := Tree{Directories: []string{"repo", filepath.Join(top, "shared")}}
	for path, want := range map[string]string{"repo/a": "repo/a", "repo/sub/../a": "repo/a", "./repo/in": "repo/sub/b",
		"repo/sub/up": "repo/a", "shared/c": "shared/c", filepath.Join(top, "repo/a"): "repo/a", "repo/../shared/c": "shared/c"} {
		if data, err := tree.Read(path, 100); err != nil || string(data) != want {
			t.Errorf("%s: got %q, %v", path, data, err)
		}
	}
	var outside *OutsideError
	for _, path := range []string{"repo/out", "repo/shared/c", "shared/out", "home/d", "repo/../home/d", "repo2", "..", "/",
		filepath.Join(top, "home/d"), "repo/sub/../../home/d"} {
		if data, err := tree.Read(path, 100); !errors.As(err, &outside) {
			t.Errorf("%s: got %q, %v", path, data, err)
		}
		if _, err := tree.Stat(path); !errors.As(err, &outside) {
			t.Errorf("%s is described: %v", path, err)
		}
	}
	for _, path := range []string{"repo/loop", "repo/gone", "repo/sub"} {
		if data, err := tree.Read(path, 100); err == nil || errors.As(err, &outside) {
			t.Errorf("%s: got %q, %v", path, data, err)
		}
	}
	if _, err := tree.Read("repo/a", 3); err == nil {
		t.Error("a file is larger than the limit")
	}
	if err := tree.Walk("repo/out", nil); !errors.As(err, &outside) {
		t.Errorf("a link out of the tree is walked: %v", err)
	}
}
