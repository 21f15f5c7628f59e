package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/internal/schema"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/step"
)

// docsDir is the directory of the documentation.
var docsDir = filepath.Join("..", "..", "docs")

// schemaFor reads docs/schema/NAME.json.
func schemaFor(t *testing.T, name string) *schema.Schema {
	t.Helper()
	s, err := schema.Read(filepath.Join(docsDir, "schema", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// conforms holds one JSON document to docs/schema/NAME.json. A property that the schema does not describe is wrong too.
func conforms(t *testing.T, name string, document []byte) {
	t.Helper()
	for _, problem := range schemaFor(t, name).Validate(document) {
		t.Errorf("docs/schema/%s.json: %s", name, problem)
	}
	if t.Failed() {
		t.Logf("%s", document)
	}
}

// conformLines holds each line of a stream of JSON documents to docs/schema/NAME.json.
func conformLines(t *testing.T, name string, stream []byte) {
	t.Helper()
	for _, problem := range schemaFor(t, name).ValidateLines(stream) {
		t.Errorf("docs/schema/%s.json: %s", name, problem)
	}
	if t.Failed() {
		t.Logf("%s", stream)
	}
}

// TestDocumentedOutputs holds docs/output.md and docs/schema to each other: every schema is linked from the page, and
// each block of json or yaml in a section conforms to the schema linked last before it. A block of several lines that
// are documents of their own is a stream and is marked as jsonl.
func TestDocumentedOutputs(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(docsDir, "output.md"))
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\]\(schema/([a-z-]+)\.json\)`)
	files, err := filepath.Glob(filepath.Join(docsDir, "schema", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no schemas: %v", err)
	}
	for _, f := range files {
		if !strings.Contains(string(page), "](schema/"+filepath.Base(f)+")") {
			t.Errorf("docs/output.md does not link schema/%s", filepath.Base(f))
		}
	}
	examples := 0
	for _, section := range strings.Split(string(page), "\n## ")[1:] {
		title, _, _ := strings.Cut(section, "\n")
		name := ""
		for i, part := range strings.Split(section, "\n```") {
			kind, block, _ := strings.Cut(part, "\n")
			if i%2 == 0 {
				if found := link.FindAllStringSubmatch(part, -1); found != nil {
					name = found[len(found)-1][1]
				}
				continue
			}
			if name == "" {
				t.Errorf("%s: an example before any schema is linked", title)
				continue
			}
			examples++
			switch kind {
			case "json":
				conforms(t, name, []byte(block))
			case "jsonl":
				conformLines(t, name, []byte(block))
			case "yaml":
				document, err := yaml.YAMLToJSON([]byte(block))
				if err != nil {
					t.Fatalf("%s: %v", title, err)
				}
				conforms(t, name, document)
			default:
				t.Errorf("%s: an example marked %q: mark it json, jsonl or yaml", title, kind)
			}
		}
	}
	if examples == 0 {
		t.Error("no example found")
	}
}

func TestCheckReportConforms(t *testing.T) {
	found := func(f step.Finding) func(context.Context, step.Reads) step.Finding {
		return func(context.Context, step.Reads) step.Finding { return f }
	}
	graph, err := step.New(
		step.Step{ID: "a/fine", Title: "fine", Group: "a", Docs: "docs/checks/storage.md",
			Check: found(step.OK("as it should be").On("Node x"))},
		step.Step{ID: "a/absent", Title: "absent", Group: "a",
			Check: found(step.Missing("nothing").WithHint("do something"))},
		step.Step{ID: "b/slow", Title: "slow", Group: "b", Check: found(step.Pending("soon"))},
		step.Step{ID: "b/broken", Title: "broken", Group: "b", Severity: step.Advisory, Check: found(step.Broken("no"))},
		step.Step{ID: "b/unseen", Title: "unseen", Group: "b", Check: found(step.Unknown("not allowed"))},
	)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := report.CheckJSON(&out, graph.Check(t.Context(), step.Options{})); err != nil {
		t.Fatal(err)
	}
	conforms(t, "check", out.Bytes())
}

func TestEventsConform(t *testing.T) {
	held := false
	graph, err := step.New(
		step.Step{ID: "a/made", Title: "made", Group: "a",
			Check: func(context.Context, step.Reads) step.Finding {
				if held {
					return step.OK("there").On("Thing x")
				}
				return step.Missing("not there").WithHint("make it")
			},
			Apply: func(context.Context) (step.Change, error) { held = true; return step.Created, nil }},
		step.Step{ID: "a/refused", Title: "refused", Group: "a",
			Check: func(context.Context, step.Reads) step.Finding { return step.Missing("no") },
			Apply: func(context.Context) (step.Change, error) { return step.Unchanged, errors.New("refused") }},
		step.Step{ID: "b/blocked", Title: "blocked", Group: "b", Needs: []step.ID{"a/refused"},
			Check: func(context.Context, step.Reads) step.Finding { return step.OK("") }},
	)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	events := report.NewEvents(&out)
	events.Plan("bootstrap", report.Cluster{Server: "https://x", Kubernetes: "v1.33.5"}, graph)
	r := graph.Run(t.Context(), step.Options{Observe: events.Observe})
	if err := events.Summary(r, report.RunEnd{ExitCode: cmdutil.ExitCode(r.Err()), Next: "hcctl check",
		Error: errors.New("why")}); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(out.Bytes(), []byte("\n")); n < 8 {
		t.Errorf("%d lines only:\n%s", n, &out)
	}
	conformLines(t, "events", out.Bytes())
}

// TestEveryPlanHasASchema holds the kinds of plans in the source to the schemas.
func TestEveryPlanHasASchema(t *testing.T) {
	var schemas string
	for _, name := range []string{"plan", "delete-plan", "disks"} {
		data, err := os.ReadFile(filepath.Join(docsDir, "schema", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		schemas += string(data)
	}
	kind, found := regexp.MustCompile(`"[A-Za-z]+Plan"`), 0
	for _, source := range sources(t) {
		data, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range kind.FindAllString(string(data), -1) {
			if found++; !strings.Contains(schemas, k) {
				t.Errorf("%s: no schema knows a document of kind %s", source, k)
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d kinds of plans found", found)
	}
}

// TestFilesConformToTheirSchema validates the examples, the documents of config init and wrong documents with the
// schemas of config schema, as an editor does. None repeats itself: the Fleet's had 131 KB.
func TestFilesConformToTheirSchema(t *testing.T) {
	schemas := map[string]*schema.Schema{}
	for kind, limit := range map[string]int{"bootstrap": 14_400, "cluster": 36_500, "fleet": 50_500} {
		code, text, stderr := run(t, "config", "schema", kind)
		if code != cmdutil.ExitDone {
			t.Fatalf("%s: %s", kind, stderr)
		}
		if len(text) > limit {
			t.Errorf("the schema of %s has %d bytes, want %d at most", kind, len(text), limit)
		}
		var err error
		if schemas[kind], err = schema.Parse(kind, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	const fleet = "apiVersion: hcctl.dev/v1alpha1\nkind: Fleet\nclusters:\n- metadata: {name: a}\n"
	type document struct{ name, text, want string }
	documents := []document{
		{"an environment", fleet + "environments:\n  dev: {spec: {arch: amd64}, nodePool: {cores: 2}}\n", ""},
		{"a field that no environment has", fleet + "environments:\n  dev: {spec: {memory: 8Gi}}\n",
			"/environments/dev/spec: additional properties 'memory' not allowed"},
		{"a value of an environment", fleet + "environments:\n  dev: {spec: {arch: arm}}\n",
			"/environments/dev/spec/arch: value must be one of 'amd64', 's390x'"},
		{"a type of a pool", fleet + "defaults: {nodePool: {cores: two}}\n", "/defaults/nodePool/cores: got string, want integer"},
		{"a name for all", fleet + "defaults: {metadata: {name: a}}\n",
			"/defaults/metadata: additional properties 'name' not allowed"},
		{"an approval", "apiVersion: hcctl.dev/v1alpha1\nkind: Bootstrap\noperators: {odf: {approval: never}}\n",
			"/operators/odf/approval: value must be one of 'automatic', 'manual'"},
	}
	examples, err := filepath.Glob(filepath.Join(docsDir, "..", "examples", "*.yaml"))
	if err != nil || len(examples) < 10 {
		t.Fatalf("%d examples, %v", len(examples), err)
	}
	for _, path := range examples {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, document{path, string(text), ""})
	}
	commented := regexp.MustCompile(`(?m)^( *)#([a-zA-Z])`)
	for _, kind := range []string{"Bootstrap", "Cluster", "Fleet"} {
		_, text, _ := run(t, "config", "init", "--kind", kind)
		documents = append(documents, document{"config init --kind " + kind, text, ""})
		path := filepath.Join(t.TempDir(), "init.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, _, stderr := run(t, "config", "validate", "-f", path); code != cmdutil.ExitDone {
			t.Errorf("config init --kind %s: %s", kind, stderr)
		}
		text = commented.ReplaceAllString(text, "$1$2")
		documents = append(documents, document{"config init --kind " + kind + " with every field", text, ""})
	}
	validated := 0
	for _, d := range documents {
		for text := range strings.SplitSeq(d.text, "\n---\n") {
			var header struct{ APIVersion, Kind string }
			data, err := yaml.YAMLToJSON([]byte(text))
			if err == nil {
				err = yaml.Unmarshal(data, &header)
			}
			if err != nil {
				t.Fatalf("%s: %v", d.name, err)
			}
			if !strings.HasPrefix(header.APIVersion, "hcctl.dev/") {
				continue // such as a Placement
			}
			validated++
			if got := strings.Join(schemas[strings.ToLower(header.Kind)].Validate(data), "\n"); got != d.want {
				t.Errorf("%s: %q, want %q", d.name, got, d.want)
			}
		}
	}
	if validated < 20 {
		t.Errorf("only %d documents were validated", validated)
	}
}
