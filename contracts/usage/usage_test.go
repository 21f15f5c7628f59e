package usage

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// found returns the uses in one file, such as "reason: Failed".
func found(t *testing.T, files map[string]string) []string {
	t.Helper()
	tree := fstest.MapFS{}
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	source, err := Parse(tree, "pkg")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, u := range source.Find(func(domain string) bool { return strings.HasSuffix(domain, "operator.io") }) {
		all = append(all, fmt.Sprintf("%s: %s", u.Role, u.Word))
	}
	return all
}

func TestFind(t *testing.T) {
	const key = "label, annotation or finalizer"
	for name, tc := range map[string]struct{ code, want string }{
		"a key":               {`var _ = get("a.operator.io/kept")`, key + ": a.operator.io/kept"},
		"somebody else's key": {`var _ = get("a.example.com/kept")`, ""},
		"an API version":      {`var _ = get("a.operator.io/v1beta1")`, ""},
		"a constant by name":  {`const setFinalizer = "finalizer"`, key + ": finalizer"},
		"a name":              {`const operatorNamespace = "ns"`, "object name: ns"},
		"the ID of a step":    {`const uniqueName step.ID = "a/b"`, ""},
		"a message":           {`const reason = "it has gone wrong"`, ""},
		"a field": {`var _ = Condition{Type: "Ready", Status: "True", Reason: "Done"}`,
			"condition type: Ready|reason: Done"},
		"a field by place": {`var _ = Condition{"Ready", "True", "Done"}`, "condition type: Ready|reason: Done"},
		"conditions in a list": {`var _ = []Condition{{Type: "A"}, {Type: "B"}}`,
			"condition type: A|condition type: B"},
		"another type's Type": {`var _ = Disk{Type: "A"}`, ""},
		"a condition in JSON": {`var _ = map[string]any{"type": "A", "status": "True", "reason": "R"}`,
			"condition type: A|reason: R"},
		"no condition in JSON": {`var _ = map[string]any{"type": "A"}`, ""},
		"metadata":             {`var _ = ObjectMeta{Name: "a", Namespace: "b"}`, "object name: a|object name: b"},
		"a parameter":          {"func set(kind, reason string) {}\nfunc f() { set(\"A\", \"R\") }", "reason: R"},
		"a parameter of a condition": {"func hasCondition(kind string) {}\nfunc f() { hasCondition(\"A\") }",
			"condition type: A"},
		"lists": {"func judge(wantTrue, hopeless []string) {}\nfunc f() { judge([]string{\"A\"}, []string{\"R\"}) }",
			"condition type: A|reason: R"},
		"two functions that differ": {"type a int\ntype b int\nfunc (a) set(reason string) {}\n" +
			"func (b) set(name string) {}\n" +
			"func f() { x.set(\"R\") }", ""},
		"with another number of parameters": {"type a int\ntype b int\nfunc (a) set(reason string) {}\nfunc (b) set(i, j " +
			"int) {}\n" +
			"func f() { x.set(\"R\") }", "reason: R"},
		"a result":             {"func why() (reason, message string) { return \"R\", \"m\" }", "reason: R"},
		"a result of a lambda": {"var f = func() (reason string) { return \"R\" }", "reason: R"},
		"a comparison": {`func f() bool { return c.Reason == "R" || "P" != c.Phase || c.Type == "T" }`,
			"condition type: T|phase: P|reason: R"},
		"a switch": {"func f() { switch state := Text(o, \"status\", \"state\"); state {\ncase \"A\", \"B\":\n} }",
			"phase: A|phase: B"},
		"an assignment":        {`func f() { reason, n := "R", 1; _, _ = reason, n }`, "reason: R"},
		"a write into a field": {`func f() { Set(o, "A", "status", "phase"); Set(o, "x", "status", "name") }`, "phase: A"},
		"a list of reasons":    {`var _ = slices.Contains([]string{"R", "S"}, c.Reason)`, "reason: R|reason: S"},
		"a table of reasons":   {`var _ = map[string]string{"R": "x"}[c.Reason]`, "reason: R"},
		"a constant":           {"const gone = \"Re\" + \"moved\"\nvar _ = Condition{Reason: gone}", "reason: Removed"},
		"an empty reason":      {`var _ = Condition{Reason: ""}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := found(t, map[string]string{"pkg/a/a.go": "package a\n" + tc.code + "\n"})
			slices.Sort(got)
			if all := strings.Join(got, "|"); all != tc.want {
				t.Errorf("got %q, want %q", all, tc.want)
			}
		})
	}
}

func TestFindAcrossPackages(t *testing.T) {
	got := found(t, map[string]string{
		"pkg/a/a.go": "package a\n\nimport other \"github.com/hcctl/hcctl/pkg/b\"\n\nvar _ = Condition{Reason: " +
			"other.Gone}\n",
		"pkg/b/b.go":          "package b\n\nconst Gone = \"Removed\"\n",
		"pkg/b/b_test.go":     "package b\n\nvar _ = Condition{Reason: \"Test\"}\n",
		"pkg/b/btest/b.go":    "package btest\n\nvar _ = Condition{Reason: \"Test\"}\n",
		"pkg/fakeapi/fake.go": "package fakeapi\n\nvar _ = Condition{Reason: \"Test\"}\n",
	})
	if want := []string{"reason: Removed"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestParseRefusesWhatIsNotGo(t *testing.T) {
	if _, err := Parse(fstest.MapFS{"pkg/a.go": {Data: []byte("package")}}, "pkg"); err == nil {
		t.Error("nothing is wrong")
	}
}

func TestJudge(t *testing.T) {
	e, err := parseExceptions([]byte(`
directories: [{directory: pkg/others, except: [b.go], why: theirs}, {directory: pkg/unneeded, why: theirs}]
domains: [{domain: example.com, why: made up}]
words: [{words: [Own, Gone], why: hcctl's own}]
`))
	if err != nil {
		t.Fatal(err)
	}
	use := func(role Role, word, file string) Use { return Use{Word: word, Role: role, File: file, Line: 7} }
	got := e.Judge([]Use{
		use(Reason, "Known", "pkg/a/a.go"), use(Reason, "Own", "pkg/a/a.go"), use(Reason, "Theirs", "pkg/others/x/a.go"),
		use(Key, "my.example.com/x", "pkg/a/a.go"), use(Key, "operator.io/x", "pkg/others/a.go"),
		use(Phase, "Wrong", "pkg/othersbeside/a.go"), use(Phase, "Held", "pkg/others/b.go"),
	}, func(word string) bool { return word == "Known" })
	want := []string{
		"pkg/others/a.go:7: label, annotation or finalizer operator.io/x: no source in directory contracts shows it",
		"pkg/othersbeside/a.go:7: phase Wrong: no source in directory contracts shows it",
		"pkg/others/b.go:7: phase Held: no source in directory contracts shows it",
		"exceptions.yaml: directory pkg/unneeded: nothing needs it any more",
		"exceptions.yaml: Gone: nothing needs it any more",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestJudgeOlder(t *testing.T) {
	e, err := parseExceptions([]byte(`
older: [{words: [Kept, Back], why: old clusters have it}]
`))
	if err != nil {
		t.Fatal(err)
	}
	use := func(word string) Use { return Use{Word: word, Role: Reason, File: "pkg/a/a.go", Line: 7} }
	got := e.JudgeOlder([]Use{use("Kept"), use("Lost"), use("Lost"), use("Here")},
		func(word string) bool { return word == "Kept" || word == "Lost" })
	want := []string{"pkg/a/a.go:7: reason Lost: the newest release of its operator does not have it any more",
		"exceptions.yaml: older Back: nothing needs it any more"}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestAnExceptionHasAReason(t *testing.T) {
	for _, text := range []string{"words: [{words: [A]}]", "directories: [{directory: a}]", "domains: [{domain: a}]",
		"words: [{words: [A, A], why: x}]", "older: [{words: [A]}]", "older: [{words: [A, A], why: x}]", "others: []"} {
		if _, err := parseExceptions([]byte(text)); err == nil {
			t.Errorf("%s: nothing is wrong", text)
		}
	}
}
