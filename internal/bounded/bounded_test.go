package bounded_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/internal/bounded"
)

func TestAll(t *testing.T) {
	if got, err := bounded.All(strings.NewReader("four"), 4); string(got) != "four" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	var large *bounded.TooLargeError
	if got, err := bounded.All(strings.NewReader("five!"), 4); got != nil || !errors.As(err, &large) || large.Most != 4 {
		t.Errorf("got %q, %v", got, err)
	}
}

// A device has no end.
func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := bounded.File(path, 1<<20); string(got) != "text" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := bounded.File("/dev/zero", 1<<20); err == nil || err.Error() != "/dev/zero: it has more than 1 MiB" {
		t.Errorf("got %v", err)
	}
	if _, err := bounded.File(path+"b", 1<<20); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
