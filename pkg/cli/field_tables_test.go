package cli

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
)

// fieldTable is a table of fields with all that has to come of it.
type fieldTable struct {
	call   string
	fields []option.Field
	flag   func(string) string
	// kind of the document, and where in it the fields are.
	kind, within string
	// page of docs, and what it calls a field.
	page   string
	called func(option.Field) string
	// initial is the document that config init writes.
	initial []byte
}

// TestARowMakesEverythingElse is the walk-through of CONTRIBUTING.md: a row in a table of fields is a flag with help
// and completion, a field of the file, of its schema and of the document to begin with, and a row in the docs.
func TestARowMakesEverythingElse(t *testing.T) {
	row := func(f option.Field) string { return "`" + f.Name + "` | " }
	pool := "properties.spec.properties.nodePools.items"
	for _, table := range []fieldTable{
		{"create cluster", options.Fields(), cmdutil.AsGiven, config.KindCluster, "properties.spec", "cluster", row,
			config.InitialCluster()},
		{"create cluster", options.FirstPoolFields(), options.ClusterFlag, config.KindCluster, pool, "cluster", row,
			config.InitialCluster()},
		{"create nodepool", options.NodePoolFields(), cmdutil.AsGiven, config.KindCluster, pool, "commands",
			func(f option.Field) string { return "--" + f.Flag + " " }, config.InitialCluster()},
		{"bootstrap", config.Fields(), cmdutil.AsGiven, config.Kind, "", "commands",
			func(f option.Field) string { return f.Name + " " }, config.Initial()},
	} {
		cmd, _, err := tree().Find(strings.Fields(table.call))
		if err != nil {
			t.Fatal(err)
		}
		code, docs, stderr := run(t, "docs", table.page)
		if code != 0 {
			t.Fatal(stderr)
		}
		for _, f := range table.fields {
			if f.Flag == "" {
				continue
			}
			t.Run(table.call+" "+f.Flag, func(t *testing.T) {
				table.flagOf(t, cmd, f)
				table.documentOf(t, f)
				if !strings.Contains(docs, table.called(f)) || !strings.Contains(docs, "--"+table.flag(f.Flag)) {
					t.Errorf("hcctl docs %s does not have it", table.page)
				}
				if f.Example == "" {
					t.Error("it has no example")
				}
			})
		}
	}
}

// flagOf holds a flag to its row.
func (table fieldTable) flagOf(t *testing.T, cmd *cobra.Command, f option.Field) {
	t.Helper()
	name := table.flag(f.Flag)
	flag := cmd.Flag(name)
	if flag == nil || !strings.HasPrefix(flag.Usage, f.Usage()) {
		t.Fatalf("--%s is %+v, want one with the help %q", name, flag, f.Usage())
	}
	if by, ok := cmd.GetFlagCompletionFunc(name); len(f.Values) > 0 {
		if !ok {
			t.Fatalf("--%s has no completion", name)
		}
		if got, _ := by(cmd, nil, ""); !reflect.DeepEqual(got, f.Values) {
			t.Errorf("--%s completes %q, want %q", name, got, f.Values)
		}
	}
}

// documentOf holds the schema and the document to begin with to a row.
func (table fieldTable) documentOf(t *testing.T, f option.Field) {
	t.Helper()
	within := table.within
	if f.Name == "labels" || f.Name == "annotations" {
		within = "properties.metadata"
	}
	data, err := config.Schema(table.kind)
	if err != nil {
		t.Fatal(err)
	}
	var at any
	if err := json.Unmarshal(data, &at); err != nil {
		t.Fatal(err)
	}
	path := strings.TrimPrefix(within+".properties."+strings.ReplaceAll(f.Name, ".", ".properties."), ".")
	for _, key := range strings.Split(path, ".") {
		at = at.(map[string]any)[key]
		if at == nil {
			t.Fatalf("the schema has no %s", path)
		}
	}
	if text, _ := at.(map[string]any)["description"].(string); text == "" {
		t.Errorf("the schema does not describe %s", path)
	}
	leaf := f.Name[strings.LastIndex(f.Name, ".")+1:] + ":"
	if !strings.Contains(string(table.initial), " "+leaf) && !strings.Contains(string(table.initial), "#"+leaf) &&
		!strings.Contains(string(table.initial), "\n"+leaf) {
		t.Errorf("config init does not write %s", leaf)
	}
}

// TestAMadeUpOptionIsInTheDocuments: a row is all that docs/cluster.md needs.
func TestAMadeUpOptionIsInTheDocuments(t *testing.T) {
	known, _ := optionstest.MadeUp(option.RestartsControlPlane)
	o := options.Defaults()
	var b strings.Builder
	optionsTable(&b, "The cluster", known, reflect.ValueOf(&o).Elem(), cmdutil.AsGiven)
	changesTable(&b, known)
	for _, want := range []string{
		"| `--made-up` | `channel` | what a test made up (one, two); needs multicluster engine 2.9 | HostedCluster spec.channel " +
			"|  | `two` |\n", "| `--made-up` | pods of the control plane are restarted |\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page does not have\n%s", want)
		}
	}
}
