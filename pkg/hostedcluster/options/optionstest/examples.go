package optionstest

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// Named returns the default options of cluster kv-00, after change.
func Named(change func(*options.Cluster)) options.Cluster {
	o := options.Defaults()
	o.Name = "kv-00"
	if change != nil {
		change(&o)
	}
	return o
}

// Everything sets the options that most clusters set.
func Everything(o *options.Cluster) {
	o.PullSecret.Content, o.PullSecret.Path = []byte(GoodPullSecret), "ps.json"
	o.SSHKey.Content, o.SSHKey.Path = []byte(GoodKey+"\n"), "id.pub"
	o.ReleaseImage = "registry.example/ocp-release:4.20.3-multi"
	o.BaseDomain = "example.com"
	o.EtcdStorageClass = "fast"
	o.Pool().Replicas, o.Pool().Memory, o.Pool().Cores, o.Pool().RootVolumeSize = 3, "16384Mi", 4, 64
}

// With returns the default options of kv-00 with these flags set.
func With(t *testing.T, flags string) options.Cluster {
	t.Helper()
	o := Named(nil)
	words := strings.Fields(flags)
	for i := 0; i+1 < len(words); i += 2 {
		setFlag(t, &o, strings.TrimPrefix(words[i], "--"), words[i+1])
	}
	return o
}

// Valid validates the options, and fails the test if they are not valid.
func Valid(t testing.TB, o options.Cluster) options.Validated {
	t.Helper()
	v, err := o.Validate()
	if err != nil {
		t.Fatalf("the options are refused: %v", err)
	}
	return v
}

// Refusal returns why the options are not valid, as create cluster prints it, or nil.
func Refusal(o options.Cluster) error {
	_, err := o.Validate()
	return Flagged(err)
}

// Flagged names options in err by their flags, as create cluster does.
func Flagged(err error) error {
	return option.Located(err, func(e *option.Error) string { return "--" + options.FlagOf(e) })
}

func setFlag(t *testing.T, o *options.Cluster, flag, value string) {
	t.Helper()
	for _, f := range options.FirstPoolFields() {
		if f.Flag == flag {
			setField(t, reflect.ValueOf(o.Pool()).Elem(), f, value)
			return
		}
	}
	for _, f := range options.Fields() {
		if f.Flag == flag {
			setField(t, reflect.ValueOf(o).Elem(), f, value)
			return
		}
	}
	t.Fatalf("there is no flag --%s", flag)
}

func setField(t *testing.T, v reflect.Value, f options.Field, value string) {
	t.Helper()
	key, rest, _ := strings.Cut(value, "=")
	switch at := option.At(v, f.Name).Addr().Interface().(type) {
	case *string:
		*at = value
	case *bool:
		*at = value == "true"
	case *int32:
		n, err := strconv.ParseInt(value, 10, 32)
		if err != nil {
			t.Fatal(err)
		}
		*at = int32(n)
	case *time.Duration:
		d, err := time.ParseDuration(value)
		if err != nil {
			t.Fatal(err)
		}
		*at = d
	case *[]string:
		*at = []string{value}
	case *options.List:
		*at = strings.Split(value, ",")
	case *map[string]string:
		*at = map[string]string{key: rest}
	case *options.Annotations:
		*at = options.Annotations{key: rest}
	case *options.File:
		*at = options.File{Path: value, Content: exampleFile(t, value)}
	case *options.Files:
		*at = options.Files{{Path: value, Content: exampleFile(t, value)}}
	default:
		t.Fatalf("%s: unknown type %T", f.Name, at)
	}
}

func exampleFile(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "options", "testdata", "examples", name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// MadeUp returns a copy of the table of a cluster's options, and a made-up row with this effect that replaces the
// update channel in it. The walk-through in CONTRIBUTING.md adds such a row.
func MadeUp(effect option.Effect) ([]options.Field, options.Field) {
	row := options.Field{Name: "channel", Flag: "made-up", Group: option.Release, Values: []string{"one", "two"},
		Needs: "2.9", Effect: effect, Writes: "HostedCluster spec.channel", Example: "two", Text: "what a test made up"}
	all := options.Fields()
	all[slices.IndexFunc(all, func(f options.Field) bool { return f.Name == row.Name })] = row
	return all, row
}

// Example is one field, to be set to its example.
type Example struct {
	options.Field
	Name string
	pool bool
}

// Examples lists one example for each field of the tables.
func Examples() []Example {
	var out []Example
	for _, f := range options.Fields() {
		out = append(out, Example{Field: f, Name: f.Flag})
	}
	for _, f := range options.NodePoolFields() {
		name := f.Flag
		if f.PoolOnly {
			name = "nodepool-" + name
		}
		out = append(out, Example{Field: f, Name: name, pool: true})
	}
	return out
}

// Options returns the options with the example and what it needs, and the options with only what it needs.
func (e Example) Options(t *testing.T) (all, without options.Cluster) {
	t.Helper()
	all, without = With(t, e.With), With(t, e.With)
	v := reflect.ValueOf(&all).Elem()
	if e.pool {
		v = reflect.ValueOf(all.Pool()).Elem()
	}
	setField(t, v, e.Field, e.Example)
	return all, without
}

// A pull secret and a public SSH key that are valid.
const (
	GoodPullSecret = hostedtest.PullSecret
	GoodKey        = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEXWHqGh4ka6JjJcFuPmKXaIYzZKXiB4GVQEmWU2IMp1 someone@example.com"
)

// Many is a map with n entries.
func Many(n int) map[string]string {
	m := map[string]string{}
	for i := range n {
		m["l"+strings.Repeat("x", i)] = "y"
	}
	return m
}
