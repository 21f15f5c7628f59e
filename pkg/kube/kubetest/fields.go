package kubetest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/hcctl/hcctl/contracts"
	"github.com/hcctl/hcctl/contracts/crd"
	"github.com/hcctl/hcctl/internal/golden"
	"github.com/hcctl/hcctl/internal/openshift"
	"github.com/hcctl/hcctl/pkg/kube/crdschema"
)

// FieldsOf is a kind in one API version of package contracts, and the key of its rows.
type FieldsOf struct {
	Key, Group, Kind, Version string
	// Bare leaves out constraints that only apply to whole objects, such as rules, patterns and defaults, and all fields
	// below maxBare: any field is valid there.
	Bare bool
}

// maxBare is the depth to which bare fields are known, spec included.
const maxBare = 5

// GoldenFields fails unless the built-in file has the fields of the kinds in package contracts.
func GoldenFields(t *testing.T, file string, kinds ...FieldsOf) {
	t.Helper()
	fields := crdschema.Fields{}
	for _, kind := range kinds {
		fields[kind.Key] = kind.rows(t)
	}
	data, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, file, string(compress(t, data)))
}

func compress(t *testing.T, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// rows returns the fields of the spec in every release of package contracts.
func (k FieldsOf) rows(t *testing.T) []crdschema.Row {
	t.Helper()
	table, err := contracts.TableOf(k.Group, k.Kind)
	if err != nil {
		t.Fatal(err)
	}
	releases, err := table.Releases.All()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]*crdschema.Row{}
	for _, r := range releases {
		schemas, err := crd.Schemas(table, r)
		if err != nil {
			t.Fatal(err)
		}
		if whole := schemas[k.Version]; whole != nil {
			k.collect(t, found, []string{"spec"}, whole.Properties["spec"], false, openshift.MinorNumber(r.Major, r.Minor))
		}
	}
	var out []crdschema.Row
	for _, key := range slices.Sorted(maps.Keys(found)) {
		out = append(out, *found[key])
	}
	return out
}

// collect adds a field of one release and all fields below it. 4.23 and 5.0 count as one minor.
func (k FieldsOf) collect(t *testing.T, found map[string]*crdschema.Row, path []string,
	s apiextensionsv1.JSONSchemaProps, required bool, minor int) {
	t.Helper()
	fields := s
	fields.Properties, fields.Items, fields.AdditionalProperties, fields.Required = nil, nil, nil, nil
	fields.XValidations = slices.DeleteFunc(slices.Clone(fields.XValidations),
		func(r apiextensionsv1.ValidationRule) bool { return strings.Contains(r.Rule, "oldSelf") })
	if k.Bare {
		required = false
		fields = apiextensionsv1.JSONSchemaProps{Type: s.Type, Enum: s.Enum, Nullable: s.Nullable,
			XIntOrString: s.XIntOrString, XPreserveUnknownFields: s.XPreserveUnknownFields}
		if len(path) == maxBare {
			s.Properties, s.Items, s.AdditionalProperties = nil, nil, nil
		}
	}
	data, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	row := &crdschema.Row{Path: slices.Clone(path), Required: required}
	if err := json.Unmarshal(data, &row.Is); err != nil {
		t.Fatal(err)
	}
	key := strings.Join(path, "\x01") + "\x00" // parents first
	if required {
		key += "required"
	}
	key += string(data)
	if found[key] == nil {
		found[key] = row
	}
	row = found[key]
	if n := len(row.In); n > 0 && row.In[n-1][1] >= minor-1 {
		row.In[n-1][1] = minor
	} else {
		row.In = append(row.In, [2]int{minor, minor})
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		k.collect(t, found, append(path, name), s.Properties[name], slices.Contains(s.Required, name), minor)
	}
	if s.Items != nil && s.Items.Schema != nil {
		k.collect(t, found, append(path, "[]"), *s.Items.Schema, false, minor)
	}
	if more := s.AdditionalProperties; more != nil && more.Schema != nil {
		k.collect(t, found, append(path, "{}"), *more.Schema, false, minor)
	}
}
