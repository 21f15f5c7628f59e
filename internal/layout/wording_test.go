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

// wrongPhrases are phrases that users have stumbled over. None of them comes back, in any case of letters.
var wrongPhrases = []string{
	"tell what holds", "why what is not well is not", "that check asks for", "have none yet are told",
	"who makes the way in",
	"the gravest", "is out of reach", "no addresses are to be given out", "is not to be read through", "nothing to advise",
	"would not end well", "ended well", "what is gone is gone", "conditions as they should be", "is no purpose",
	"as it should be", "as they should be", "has got so far", "the way in",
	"guest cluster, too", "asks for %s nodes", "asks for %d nodes",
	"not looked at it yet", "has looked at it yet", "not looked at its latest", "not looked at the change",
	"does not tell", "tells nothing", "nothing tells", "nobody can tell", "could not be told", "cannot tell",
	"is away", "who removes", "does not know who", "who have to clean up", "nobody drains", "nobody answers",
	"nothing is against", "nothing is known against", "for want of", "would not be begun", "the same command begins",
	"back to a backup", "back to backups", "the whole may take", "going on with", "goes on from there",
	"the same command goes on", "goes on trying", "no place for the dump", "is to be %s", "are to be %d", "cannot be had",
	"sends elsewhere", "an engine cannot go back", "if you know better", "has not the label", "needs doing",
	"need a person", "needs a person", "a person has to", "makers of volumes", "behind its end", "mind with",
	"has the settings asked for", "what was asked for is ready", "open until", "was well when", "on a cluster that is well",
	"is not well: ", "made anew", "installs it anew", "no node takes", "hypershift lets nobody", "lets anybody", "by hcctl's doing",
	"it is no mapping", "it is no list", "it is no name", "it is no url",
	"resources[%d] is no ", "%q is no ", "its host is no",
	"is no record", "is no backup", "this is no openshift", "delete goes by",
	"clear up what", "hcctl upgrade cluster takes it on",
	"what ties together", "dns has to know", "there was no time to look",
}

// counted are nouns that are counted by internal/plural: after a bare number they are wrong for one.
var counted = regexp.MustCompile(
	`(?:^|[^f]) ?%d (?:further |hosted |node )?(steps|clusters|pools|manifests|requests)\b`)

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

func TestWrongPhrasesStayOut(t *testing.T) {
	root, files := filepath.Join("..", ".."), 0
	look := func(path, text string) {
		flat := strings.ToLower(strings.Join(strings.Fields(text), " "))
		for _, wrong := range wrongPhrases {
			if strings.Contains(flat, wrong) {
				t.Errorf("%s says %q: %.120q", path, wrong, flat)
			}
		}
	}
	for _, folder := range []string{"pkg", "docs", "README.md"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil || d.IsDir():
				return err
			case strings.HasSuffix(path, ".md"):
				data, err := os.ReadFile(path)
				look(path, string(data))
				files++
				return err
			case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
				files++
				for _, text := range texts(t, path) {
					look(path, text)
					if m := counted.FindString(text); m != "" && !strings.Contains(path, "prereqs") {
						t.Errorf("%s: %q is wrong for one: use plural.Count", path, m)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 300 {
		t.Errorf("only %d files were read", files)
	}
}
