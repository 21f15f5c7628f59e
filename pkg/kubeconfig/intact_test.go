package kubeconfig_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/hcctl/hcctl/pkg/kubeconfig"
)

// TestFilesThatMustNotBeTouchedStayAsTheyAre, byte for byte, and the error says why.
func TestFilesThatMustNotBeTouchedStayAsTheyAre(t *testing.T) {
	half, _, _ := strings.Cut(theirs, "token")
	for name, tc := range map[string]struct{ content, want string }{
		"half a file":       {half + "token: \"", "not a kubeconfig that hcctl can read"},
		"binary":            {"\x00\x01\x02", "not a kubeconfig that hcctl can read"},
		"a list":            {"- a\n- b\n", "it is not a mapping"},
		"a Deployment":      {"apiVersion: apps/v1\nkind: Deployment\n", `its kind is "Deployment"`},
		"another version":   {"apiVersion: v2\nkind: Config\n", `its apiVersion is "v2"`},
		"several documents": {theirs + "---\n" + theirs, "several YAML documents"},
		"lists that are no": {"apiVersion: v1\nkind: Config\nclusters: {a: b}\n", "its clusters are not a list"},
		"more than 10 MB": {theirs + "# " + strings.Repeat("x", 10<<20) + "\n",
			"hcctl touches no kubeconfig of more than 10 MB"},
	} {
		t.Run(name, func(t *testing.T) {
			path := file(t, tc.content)
			untouched(t, path, tc.want)
			_, err := kubeconfig.Remove(t.Context(), path, kubeconfig.Selection{Owner: entry("kv-00").Owner})
			if err == nil || content(t, path) != tc.content {
				t.Errorf("remove: %v", err)
			}
		})
	}
}

// untouched holds that a merge fails with a FileError of these words, that says what to do, and leaves the file and its
// mode.
func untouched(t *testing.T, path, want string) {
	t.Helper()
	before := content(t, path)
	stamp, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = kubeconfig.Merge(t.Context(), path, []kubeconfig.Entry{entry("kv-00")}, "clusters-kv-00")
	var refused *kubeconfig.FileError
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), want) ||
		!strings.Contains(err.Error(), "is left as it is") || refused.Hint().String() == "" {
		t.Errorf("got %v\nwant %s", err, want)
	}
	now, err := os.Stat(path)
	if err != nil || !os.SameFile(stamp, now) || now.Mode() != stamp.Mode() || content(t, path) != before {
		t.Error("the file changed")
	}
}

func TestReadOnlyFile(t *testing.T) {
	path := file(t, theirs)
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	untouched(t, path, "it is read-only (mode 0400)")
	onlyFile(t, path)
}

func TestReadOnlyDirectory(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	path := file(t, theirs)
	if err := os.Chmod(filepath.Dir(path), 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Dir(path), 0o700) })
	untouched(t, path, "nothing can be written in its directory")
}

func TestNoRegularFile(t *testing.T) {
	_, err := kubeconfig.Merge(t.Context(), t.TempDir(), []kubeconfig.Entry{entry("kv-00")}, "")
	if err == nil || !strings.Contains(err.Error(), "it is not a regular file") {
		t.Error(err)
	}
}

// TestLinksStayLinks: the file a link leads to is what changes; one that leads nowhere is an error.
func TestLinksStayLinks(t *testing.T) {
	target := file(t, theirs)
	link := filepath.Join(t.TempDir(), "config")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	out := merge(t, link, entry("kv-00"))
	if to, err := os.Readlink(link); err != nil || to != target {
		t.Errorf("the link is %q, %v", to, err)
	}
	if config, err := clientcmd.LoadFromFile(target); err != nil || config.Contexts["clusters-kv-00"] == nil ||
		out.Path == link {
		t.Errorf("%+v, %v", config, err)
	}
	onlyFile(t, link)
	onlyFile(t, target)

	nowhere := filepath.Join(t.TempDir(), "config")
	if err := os.Symlink(filepath.Join(t.TempDir(), "absent"), nowhere); err != nil {
		t.Fatal(err)
	}
	if _, err := kubeconfig.Merge(t.Context(), nowhere, []kubeconfig.Entry{entry("kv-00")}, ""); err == nil ||
		!strings.Contains(err.Error(), "a link that leads nowhere") {
		t.Error(err)
	}
}

// TestOthersCannotReadIt: credentials that are merged into a file that others can read narrow its mode, and that is
// told.
func TestOthersCannotReadIt(t *testing.T) {
	path := file(t, theirs)
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	out := merge(t, path, entry("kv-00"))
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 || out.Narrowed != 0o644 {
		t.Errorf("%v, %o, %v", info.Mode(), out.Narrowed, err)
	}
}
