package e2e

import (
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hcctl/hcctl/internal/schema"
)

// schemas is where the outputs for programs are described.
var schemas, _ = filepath.Abs(filepath.Join("..", "docs", "schema"))

// conformsCommand: conforms SCHEMA [lines]
//
// The last command's output is a JSON document as docs/schema/SCHEMA.json describes it; with lines, each of its lines
// is.
func conformsCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 || len(args) == 2 && args[1] != "lines" {
		ts.Fatalf("usage: conforms SCHEMA [lines]")
	}
	s, err := schema.Read(filepath.Join(schemas, args[0]+".json"))
	ts.Check(err)
	out := []byte(ts.ReadFile("stdout"))
	problems := s.Validate
	if len(args) == 2 {
		problems = s.ValidateLines
	}
	if wrong := problems(out); len(wrong) > 0 {
		ts.Fatalf("the output is not what docs/schema/%s.json describes:\n%s", args[0], strings.Join(wrong, "\n"))
	}
}
