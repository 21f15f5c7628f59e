package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const passed = `{"Action":"start","Package":"github.com/hcctl/hcctl/pkg/a"}
{"Action":"output","Package":"github.com/hcctl/hcctl/pkg/a","Test":"TestA","Output":"a\n"}
{"Action":"pass","Package":"github.com/hcctl/hcctl/pkg/a","Test":"TestA/one/deep","Elapsed":2.04}
{"Action":"pass","Package":"github.com/hcctl/hcctl/pkg/a","Test":"TestA/one","Elapsed":2.05}
{"Action":"pass","Package":"github.com/hcctl/hcctl/pkg/a","Test":"TestA","Elapsed":2.06}
{"Action":"pass","Package":"github.com/hcctl/hcctl/pkg/b","Test":"TestA","Elapsed":3}
{"Action":"skip","Package":"github.com/hcctl/hcctl/pkg/b","Test":"TestLong","Elapsed":9}
{"Action":"pass","Package":"github.com/hcctl/hcctl/pkg/b","Elapsed":3.1}
`

func TestTable(t *testing.T) {
	page := filepath.Join(t.TempDir(), "testing.md")
	if err := os.WriteFile(page, []byte("before\n"+begin+"\nold\n"+end+"\nafter\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(strings.NewReader(passed), nil, page); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	want := "before\n" + begin + "\n| test | package | seconds |\n| --- | --- | --- |\n" +
		"| `TestA` | `pkg/b` | 3.0 |\n| `TestA/one/deep` | `pkg/a` | 2.0 |\n" +
		"\nThese are 5 of the 5 s of 2 tests, one after the other.\n" + end + "\nafter\n"
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTwentyRows(t *testing.T) {
	tests := times{}
	for i := range 25 {
		tests[[2]string{"pkg/a", fmt.Sprintf("Test%02d", i)}] = float64(i)
	}
	text := table(tests)
	if n := strings.Count(text, "`Test"); n != maxTests {
		t.Errorf("%d rows", n)
	}
	if !strings.Contains(text, "`Test05`") || strings.Contains(text, "`Test04`") {
		t.Errorf("not the slowest:\n%s", text)
	}
}

func TestNothingIsWrittenOfARedRun(t *testing.T) {
	for in, want := range map[string]string{
		passed + `{"Action":"fail","Package":"github.com/hcctl/hcctl/pkg/a","Test":"TestB"}`: "pkg/a TestB",
		`{"Action":"fail","Package":"github.com/hcctl/hcctl/pkg/c"}`:                         "pkg/c",
		"ok  \tpkg\t1s": "not the output",
		"":              "no test ran",
	} {
		var out strings.Builder
		if err := run(strings.NewReader(in), &out, ""); err == nil || !strings.Contains(err.Error(), want) || out.Len() > 0 {
			t.Errorf("%q: %v, printed %q", in, err, &out)
		}
	}
}
