package e2e

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// report is as much as scripts look at of the document of hcctl check -o json.
type report struct {
	Steps []struct {
		ID, State, Object, Message, Hint, Docs string
	} `json:"steps"`
}

// findingCommand: finding ID STATE [MESSAGE [HINT]]
//
// The last command's output was a check's report as JSON, in which that step has that state (or one of STATE|STATE),
// its object and message, told as "OBJECT: MESSAGE", match one regular expression, and its hint another. What is not
// ok must have a page to read.
func findingCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 4 {
		ts.Fatalf("usage: finding ID STATE [MESSAGE [HINT]]")
	}
	var r report
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &r))
	for _, s := range r.Steps {
		if s.ID != args[0] {
			continue
		}
		told := fmt.Sprintf("%s: %s", s.Object, s.Message)
		if !slices.Contains(strings.Split(args[1], "|"), s.State) {
			ts.Fatalf("%s is %s, want %s (%s)", s.ID, s.State, args[1], told)
		}
		if page, _, _ := strings.Cut(s.Docs, "#"); s.State != "ok" && !strings.HasSuffix(page, ".md") {
			ts.Fatalf("%s has no page to read: %q", s.ID, s.Docs)
		}
		for i, text := range []string{told, s.Hint} {
			if len(args) <= 2+i {
				break
			}
			want, err := regexp.Compile(args[2+i])
			ts.Check(err)
			if !want.MatchString(text) {
				ts.Fatalf("%s says %q, want a match of %q", s.ID, text, args[2+i])
			}
		}
		return
	}
	ts.Fatalf("the report has no step %s", args[0])
}
