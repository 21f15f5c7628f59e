package config

import (
	"reflect"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
)

// TestAMadeUpOptionIsInTheFile: a row is all that the file, its schema and the document to begin with need.
func TestAMadeUpOptionIsInTheFile(t *testing.T) {
	known, row := optionstest.MadeUp(option.Fixed)
	table := clusterFields(known)
	read := func(value string) (options.Cluster, error) {
		d := &decoder{name: "f", fields: table, at: map[string]place{}}
		root, err := d.document([]byte("spec:\n  "+row.Name+": "+value+"\n"), "")
		if err != nil {
			t.Fatal(err)
		}
		doc := clusterDocument{clusterBody: newBody()}
		err = d.decode(root, &doc)
		return doc.options(), err
	}
	if o, err := read("two"); err != nil || o.Channel != "two" {
		t.Errorf("read %q, %v", o.Channel, err)
	}
	if _, err := read("three"); err == nil || err.Error() != `f:2: spec.`+row.Name+` "three": use one of one, two` {
		t.Errorf("a value that it cannot have: %v", err)
	}
	o := options.Defaults()
	o.Channel = "three"
	if errs := option.Validate([]options.Field{row}, o, options.Defaults()); len(errs) != 1 ||
		errs[0].Error() != row.Name+` "three": must be one of one, two` {
		t.Errorf("a value that it cannot have: %v", errs)
	}
	field := table.schemaOf(reflect.ValueOf(""), "spec."+row.Name)
	if field["description"] != row.Text || !reflect.DeepEqual(field["enum"], row.Values) {
		t.Errorf("its schema is %v", field)
	}
	if want := "  # What a test made up: one, two.\n  #" + row.Name + ": two\n"; !strings.Contains(
		string(initialCluster(known)), want) {
		t.Errorf("the document to begin with does not have\n%s", want)
	}
}
