package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/rbac"
)

// literal returns the value of a string literal.
func literal(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	value, err := strconv.Unquote(lit.Value)
	return value, err == nil
}

// hintWords returns the words of a call that is built with hint.Run, With and Flag. A word that is known at run time
// only is NAME. ok is false for any other expression.
func hintWords(e ast.Expr) (words []string, ok bool) {
	call, is := e.(*ast.CallExpr)
	if !is {
		return nil, false
	}
	fun, is := call.Fun.(*ast.SelectorExpr)
	if !is || len(call.Args) == 0 {
		return nil, false
	}
	first, known := literal(call.Args[0])
	if pkg, is := fun.X.(*ast.Ident); is && pkg.Name == "hint" && fun.Sel.Name == "Run" && known {
		return append(strings.Fields(first), argumentWords(call.Args[1:])...), true
	}
	before, ok := hintWords(fun.X)
	switch {
	case !ok:
		return nil, false
	case fun.Sel.Name == "With":
		return append(before, argumentWords(call.Args)...), true
	case fun.Sel.Name == "Flag" && known:
		return append(append(before, flagWord(first)), argumentWords(call.Args[1:])...), true
	}
	return nil, false
}

func flagWord(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

func argumentWords(args []ast.Expr) []string {
	var words []string
	for _, arg := range args {
		word := "NAME"
		if value, known := literal(arg); known {
			word = value
		}
		if call, is := arg.(*ast.CallExpr); is && len(call.Args) == 1 {
			if fun, is := call.Fun.(*ast.SelectorExpr); is && fun.Sel.Name == "Flag" {
				if name, known := literal(call.Args[0]); known {
					word = flagWord(name)
				}
			}
		}
		words = append(words, word)
	}
	return words
}

// TestHintsAreCommands finds hints in the source that hcctl itself would refuse: an unknown command or flag, a check, a
// word, a page or a purpose that is not there.
func TestHintsAreCommands(t *testing.T) {
	root, found := newRoot(cmdutil.NewFactory(cmdutil.Streams{}, nil)), 0
	checks := promisedNow(t)["checks"]
	check := func(at string, words []string) {
		found++
		// NAME may be hint.Args with flags, and FLAG stands for the flag of a row.
		problem := unknownWord(root, words)
		if problem != "" && !strings.HasSuffix(problem, "such as NAME") && !slices.Contains(words, "--FLAG") {
			t.Errorf("%s: hcctl %s: %s", at, strings.Join(words, " "), problem)
			return
		}
		for i, word := range words[:len(words)-1] {
			value := words[i+1]
			switch {
			case word == "--only" && value != "NAME":
				for _, name := range strings.Split(value, ",") {
					if !slices.ContainsFunc(checks, func(id string) bool {
						return id == name || strings.HasPrefix(id, name+"/")
					}) {
						t.Errorf("%s: hcctl %s: there is no check or group %s", at, strings.Join(words, " "), name)
					}
				}
			case word == "--for" && words[0] == "rbac" && value != "NAME":
				if _, err := rbac.ParsePurposes(strings.Split(value, ",")); err != nil && value != "PURPOSE" {
					t.Errorf("%s: hcctl %s: %v", at, strings.Join(words, " "), err)
				}
			case i == 0 && slices.Contains([]string{"explain", "docs"}, word) && value != "NAME" && value != "WORD":
				if code, _, errs := run(t, words...); code != 0 {
					t.Errorf("%s: hcctl %s: exit %d, %s", at, strings.Join(words, " "), code, errs)
				}
			}
		}
	}
	files := token.NewFileSet()
	err := filepath.WalkDir(filepath.Join("..", "..", "pkg"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if e, is := n.(ast.Expr); is {
				if words, ok := hintWords(e); ok {
					check(files.Position(e.Pos()).String(), words)
					return false
				}
			}
			return true
		})
		return nil
	})
	if err != nil || found < 250 {
		t.Errorf("%d hints, %v", found, err)
	}
	// What a row of a condition says is text.
	command := regexp.MustCompile(`hcctl ([^,;:]+)`)
	for _, e := range conditions.Explanations() {
		for _, m := range command.FindAllStringSubmatch(e.Look, -1) {
			check(e.Condition, strings.Fields(m[1]))
		}
	}
	visitInstead(root, check)
}

// visitInstead checks the commands that are named for words of other tools.
func visitInstead(root *cobra.Command, check func(at string, words []string)) {
	visit(root, func(cmd *cobra.Command) {
		for key, command := range cmd.Annotations {
			if word, is := strings.CutPrefix(key, "instead-of-"); is {
				check("instead of "+word, strings.Fields(command))
			}
		}
	})
}
