package prereqs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/owner"
)

// changesPage reads docs/changes.md, whole and by its marked parts.
func changesPage(t *testing.T) (page string, part func(name string) string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "changes.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data), func(name string) string {
		_, rest, begun := strings.Cut(string(data), "<!-- "+name+":begin -->")
		inner, _, ended := strings.Cut(rest, "<!-- "+name+":end -->")
		if !begun || !ended {
			t.Fatalf("docs/changes.md has no part %s", name)
		}
		return inner
	}
}

// named are the resources in the first column of a table.
func named(table string) map[string]bool {
	out := map[string]bool{}
	for _, line := range strings.Split(table, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) < 3 || strings.Contains(cells[1], "---") || strings.TrimSpace(cells[1]) == "resource" {
			continue
		}
		for _, name := range strings.Split(cells[1], ",") {
			out[strings.TrimSpace(name)] = true
		}
	}
	return out
}

// writable are the resources that rules allow to write, without their groups.
func writable(rules []access.Rule) map[string]bool {
	out := map[string]bool{}
	for _, r := range rules {
		writes := slices.ContainsFunc(strings.Fields(r.Verbs), func(verb string) bool {
			return !slices.Contains([]string{"get", "list", "watch"}, verb)
		})
		for _, resource := range strings.Fields(r.Resources) {
			name, _, _ := strings.Cut(resource, ".")
			if writes {
				out[name] = true
			}
		}
	}
	return out
}

func TestThePageOfChangesIsTrueToTheRights(t *testing.T) {
	_, part := changesPage(t)
	rights := Rights()
	for name, rules := range map[string][]access.Rule{"bootstrap": rights.Bootstrap, "uninstall": rights.Uninstall} {
		told, allowed := named(part(name)), writable(rules)
		for resource := range allowed {
			if !told[resource] {
				t.Errorf("%s may write %s, and docs/changes.md does not say so", name, resource)
			}
		}
		for resource := range told {
			if !allowed[resource] {
				t.Errorf("docs/changes.md says that %s writes %s, which it has no right to", name, resource)
			}
		}
	}
	never := regexp.MustCompile("`([a-z]+)`").FindAllStringSubmatch(part("never"), -1)
	if len(never) < 5 {
		t.Fatalf("what is never touched: %v", never)
	}
	for _, resource := range never {
		if writable(rights.Bootstrap)[resource[1]] || writable(rights.Uninstall)[resource[1]] {
			t.Errorf("docs/changes.md says that %s are never touched, and hcctl has a right to write them", resource[1])
		}
	}
	for _, p := range writable(rights.Check) {
		if p {
			t.Error("check has a right to write")
		}
	}
}

func TestThePageOfChangesHasEveryTakeOver(t *testing.T) {
	page, _ := changesPage(t)
	for _, p := range everyPrerequisite() {
		if p.TakesOver != "" && !strings.Contains(page, string(p.ID)) && !strings.Contains(p.TakesOver, "InstallPlan") {
			t.Errorf("docs/changes.md does not say what --take-over %s does: %s", p.ID, p.TakesOver)
		}
	}
}

func TestThePageOfChangesHasEveryEffect(t *testing.T) {
	_, part := changesPage(t)
	effects := map[string]bool{}
	for _, p := range everyPrerequisite() {
		for _, e := range p.Effects {
			object := e.Kind.Kind + " " + e.Name
			if e.Name == "" {
				object = e.Kind.Kind + "s"
			}
			effects[object] = true
			if !strings.Contains(part("effects"), e.Remove) {
				t.Errorf("docs/changes.md does not say how to remove what %s leaves: %s", e.By, e.Remove)
			}
		}
	}
	if told := named(part("effects")); len(effects) < 4 || !maps.Equal(told, effects) {
		t.Errorf("docs/changes.md names the effects %v, the prerequisites have %v", told, effects)
	}
}

// TestPagesOfPointsNameWhatThereIs looks for each script and test that docs/dev/operators.md and journeys.md name.
func TestPagesOfPointsNameWhatThereIs(t *testing.T) {
	there := map[string]bool{}
	for _, root := range []string{"pkg", "internal", "sandbox", "e2e"} {
		err := filepath.WalkDir(filepath.Join("..", "..", root), func(path string, entry fs.DirEntry, err error) error {
			name, script := strings.CutSuffix(entry.Name(), ".txtar")
			if script {
				there[name] = true
			}
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, found := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(string(text), -1) {
				there[found[1]] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"operators.md", "journeys.md"} {
		page, err := os.ReadFile(filepath.Join("..", "..", "docs", "dev", name))
		if err != nil {
			t.Fatal(err)
		}
		_, table, _ := strings.Cut(string(page), "<!-- points:begin -->")
		table, _, _ = strings.Cut(table, "<!-- points:end -->")
		points := regexp.MustCompile(`(?m)^\| \d+ \| .* \| (.*) \|$`).FindAllStringSubmatch(table, -1)
		if len(points) != 25 {
			t.Errorf("%s: %d points", name, len(points))
		}
		_, played, _ := strings.Cut(string(page), "<!-- played:begin -->")
		points = append(points, regexp.MustCompile("(?m)^\\| .* \\| (`.*`) \\|$").FindAllStringSubmatch(played, -1)...)
		for _, point := range points {
			for _, test := range strings.Split(point[1], ", ") {
				if !there[strings.Trim(test, "`")] {
					t.Errorf("%s: there is no script or test %s", name, test)
				}
			}
		}
	}
}

// TestThePageOfChangesHasEveryFieldManager finds the names by which code writes, and that nothing is forced.
func TestThePageOfChangesHasEveryFieldManager(t *testing.T) {
	page, _ := changesPage(t)
	managers := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "ForceOwnership" {
				t.Errorf("%s forces an apply", path)
			}
			call, ok := n.(*ast.CallExpr)
			if f, isSelector := callee(call, ok); isSelector && f.Sel.Name == "FieldOwner" {
				managers[managerOf(t, path, call.Args[0])] = true
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	for _, found := range regexp.MustCompile("field manager `([a-z-]+)`").FindAllStringSubmatch(page, -1) {
		told[found[1]] = true
	}
	if len(managers) == 0 || !maps.Equal(told, managers) {
		t.Errorf("docs/changes.md names the field managers %v, the code writes as %v", told, managers)
	}
}

func callee(call *ast.CallExpr, ok bool) (*ast.SelectorExpr, bool) {
	if !ok {
		return nil, false
	}
	s, isSelector := call.Fun.(*ast.SelectorExpr)
	return s, isSelector
}

// managerOf is the value of the argument: the constant FieldOwner, with a suffix or without.
func managerOf(t *testing.T, path string, arg ast.Expr) string {
	t.Helper()
	switch e := arg.(type) {
	case *ast.Ident:
		if e.Name == "FieldOwner" {
			return "hcctl"
		}
	case *ast.SelectorExpr:
		switch e.Sel.Name {
		case "FieldOwner":
			return "hcctl"
		case "Settings":
			return owner.Settings
		}
	case *ast.BinaryExpr:
		if suffix, ok := e.Y.(*ast.BasicLit); ok {
			return managerOf(t, path, e.X) + strings.Trim(suffix.Value, `"`)
		}
	}
	t.Errorf("%s: the name of a field manager is not the constant FieldOwner", path)
	return ""
}
