package layout_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// foreign begins a command of another program, up to the end of that part of the sentence.
var foreign = regexp.MustCompile(`\b(oc|curl|podman|kubectl|argocd|velero) ([^;,)]|[,)][^ ])*`)

// ownFlag is a flag with its dashes.
var ownFlag = regexp.MustCompile(`(^|[^\w-])--[a-z][a-z0-9-]+`)

// flagsMayStand are files of libraries that may write flags with their dashes, and why.
var flagsMayStand = map[string]string{
	"pkg/config/fields.go":         "rows of options: their help",
	"pkg/config/cluster_fields.go": "rows of options: their help",
	"pkg/config/init_cluster.go":   "the comments of a file for users",

	"pkg/hostedcluster/backup/restore/data.go": "a script that runs etcdutl",
	"pkg/hostedcluster/backup/snapshot.go":     "a script that runs etcdctl",
	"pkg/management/probe/latency.go":          "a script that runs fio",
	"pkg/management/probe/pull.go":             "a script that runs oc",
}

// TestLibrariesKnowNoCommandLine: a library names a flag by hint.Flag; only pkg/cli knows how a command line spells it,
// and what its exit codes are. The rows of the options of a hosted cluster have their help and examples.
func TestLibrariesKnowNoCommandLine(t *testing.T) {
	root, files := filepath.Join("..", ".."), 0
	err := filepath.WalkDir(filepath.Join(root, "pkg"), func(path string, d fs.DirEntry, err error) error {
		name := filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator)))
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == "pkg/cli" || d.Name() == "testdata" || d.Name() == "optionstest"):
			return filepath.SkipDir
		case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || flagsMayStand[name] != "",
			strings.HasPrefix(name, "pkg/hostedcluster/options/fields"),
			strings.HasPrefix(name, "pkg/hostedcluster/options/services"):
			return nil
		}
		files++
		if source, err := os.ReadFile(path); err != nil || strings.Contains(string(source), ") ExitCode(") {
			t.Errorf("%s knows an exit code: give the error a kind of internal/failure (%v)", name, err)
		}
		for _, text := range texts(t, path) {
			if found := ownFlag.FindString(foreign.ReplaceAllString(text, "")); found != "" {
				t.Errorf("%s has the flag%s in %.120q: write hint.Flag", name, found, text)
			}
		}
		return nil
	})
	if err != nil || files < 500 {
		t.Errorf("%d files: %v", files, err)
	}
}

// texts returns the string literals of a Go file; those that are joined by + are one.
func texts(t *testing.T, path string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	ast.Inspect(file, func(n ast.Node) bool {
		if e, is := n.(ast.Expr); is {
			if text, whole := literal(e); whole {
				out = append(out, text)
				return false
			}
		}
		return true
	})
	return out
}

// literal is the text of a string literal, or of several that are joined by +.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, e.Kind == token.STRING && err == nil
	case *ast.BinaryExpr:
		x, first := literal(e.X)
		y, second := literal(e.Y)
		return x + y, first && second && e.Op == token.ADD
	}
	return "", false
}
