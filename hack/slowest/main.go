// Command slowest writes the table of the slowest tests into docs/dev/testing.md. It reads what go test -json prints:
//
//	go test -json ./... | go run ./hack/slowest -docs docs/dev/testing.md
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/hcctl/hcctl/hack/internal/measuring"
)

const (
	// maxTests is the number of rows.
	maxTests = 20
	module   = "github.com/hcctl/hcctl/"
	begin    = "<!-- slowest:begin -->"
	end      = "<!-- slowest:end -->"
	// maxLine is the size of a line of go test -json in bytes.
	maxLine = 16 << 20
)

// event is a line of go test -json (go doc test2json).
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
}

// times holds the seconds of tests by package and name.
type times map[[2]string]float64

func main() {
	docs := flag.String("docs", "", "document to write the table into, between its marks (default: print the table)")
	flag.Parse()
	if err := run(os.Stdin, os.Stdout, *docs); err != nil {
		fmt.Fprintln(os.Stderr, "slowest:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer, docs string) error {
	tests, failed, err := read(in)
	if err != nil {
		return err
	}
	if len(failed) > 0 {
		return fmt.Errorf("nothing is written, because tests failed: %s", strings.Join(failed, ", "))
	}
	if len(tests) == 0 {
		return errors.New("no test ran: give it the output of go test -json")
	}
	if docs == "" {
		_, err := io.WriteString(out, table(tests))
		return err
	}
	content, err := os.ReadFile(docs)
	if err != nil {
		return err
	}
	text, err := measuring.Rewritten(string(content), begin, end, table(tests))
	if err != nil {
		return fmt.Errorf("%s: %w", docs, err)
	}
	return os.WriteFile(docs, []byte(text), 0o644) //nolint:gosec // a document is for everybody
}

// read returns the tests that have no subtests, and the names of tests and packages that failed.
func read(in io.Reader) (times, []string, error) {
	tests, failed := times{}, []string(nil)
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, nil, fmt.Errorf("not the output of go test -json: %.80q", lines.Text())
		}
		name := strings.TrimPrefix(e.Package, module)
		switch {
		case e.Action == "fail":
			failed = append(failed, strings.TrimSpace(name+" "+e.Test))
		case e.Action == "pass" && e.Test != "":
			tests[[2]string{name, e.Test}] = e.Elapsed
		}
	}
	for test := range tests {
		// A test lasts as long as its subtests.
		for above := test[1]; ; {
			at := strings.LastIndexByte(above, '/')
			if at < 0 {
				break
			}
			above = above[:at]
			delete(tests, [2]string{test[0], above})
		}
	}
	return tests, failed, lines.Err()
}

// table returns the slowest tests in Markdown, with their share of the time of all tests.
func table(tests times) string {
	names := make([][2]string, 0, len(tests))
	var all, shown float64
	for test, seconds := range tests {
		names, all = append(names, test), all+seconds
	}
	slices.SortFunc(names, func(x, y [2]string) int {
		return cmp.Or(cmp.Compare(tests[y], tests[x]), strings.Compare(x[0], y[0]), strings.Compare(x[1], y[1]))
	})
	var b strings.Builder
	b.WriteString("| test | package | seconds |\n| --- | --- | --- |\n")
	for _, test := range names[:min(maxTests, len(names))] {
		shown += tests[test]
		fmt.Fprintf(&b, "| `%s` | `%s` | %.1f |\n", test[1], test[0], tests[test])
	}
	fmt.Fprintf(&b, "\nThese are %.0f of the %.0f s of %d tests, one after the other.\n", shown, all, len(tests))
	return b.String()
}
