package sites

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// failure is what a site's work agent may say, as contracts/ocm.yaml has it from the sources.
type failure struct{ Message, Says string }

// failures are the facts, with the values in them.
func failures(t *testing.T) []failure {
	t.Helper()
	raw, err := os.ReadFile("../../../../contracts/ocm.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var facts struct {
		ManifestWork struct {
			Failures []failure `json:"apply_failures"`
		} `json:"manifestwork"`
	}
	if err := yaml.Unmarshal(raw, &facts); err != nil {
		t.Fatal(err)
	}
	all := facts.ManifestWork.Failures
	for i := range all {
		all[i].Message = strings.NewReplacer("%q", `"a"`, "%s", "b", "%v", "c", "%d", "2").Replace(all[i].Message)
	}
	return all
}

// What waits for a retry and what needs a user is told by words of the sources, and every such word is one.
func TestFailuresAreFacts(t *testing.T) {
	all, prefix := failures(t), ""
	for _, one := range all {
		if one.Says == "prefix" {
			prefix = strings.TrimSuffix(one.Message, "c")
			continue
		}
		got := refused(&metav1.Condition{Message: prefix + one.Message})
		if got.State.String() != one.Says || strings.Contains(got.Message, "the site refuses it") {
			t.Errorf("%q: %s: %s, want %s", one.Message, got.State, got.Message, one.Says)
		}
	}
	file, err := parser.ParseFile(token.NewFileSet(), "verdict.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	words := 0
	ast.Inspect(file, func(n ast.Node) bool {
		call, is := n.(*ast.CallExpr)
		if !is {
			return true
		}
		if name, is := call.Fun.(*ast.Ident); !is || name.Name != "has" {
			return true
		}
		for _, arg := range call.Args {
			word, err := strconv.Unquote(arg.(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			words++
			known := false
			for _, one := range all {
				known = known || strings.Contains(one.Message, word)
			}
			if !known {
				t.Errorf("%q is in no message of contracts/ocm.yaml", word)
			}
		}
		return true
	})
	if words < 9 {
		t.Errorf("only %d words found", words)
	}
}
