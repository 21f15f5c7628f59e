package hostedcluster

import (
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
)

func named(change func(*Options)) Options {
	o := Defaults()
	o.Name = "kv-00"
	if change != nil {
		change(&o)
	}
	return o
}

func everything(o *Options) {
	o.PullSecret.Content, o.PullSecret.Path = []byte(goodPullSecret), "ps.json"
	o.SSHKey.Content, o.SSHKey.Path = []byte(goodKey+"\n"), "id.pub"
	o.ReleaseImage = "registry.example/ocp-release:4.20.3-multi"
	o.BaseDomain = "example.com"
	o.EtcdStorageClass = "fast"
	o.Pool().Replicas, o.Pool().Memory, o.Pool().Cores, o.Pool().RootVolumeSize = 3, "16384Mi", 4, 64
}

// with are the options of a cluster of which only the name and these flags are given.
func with(t *testing.T, flags string) Options {
	t.Helper()
	o := named(nil)
	words := strings.Fields(flags)
	for i := 0; i+1 < len(words); i += 2 {
		setFlag(t, &o, strings.TrimPrefix(words[i], "--"), words[i+1])
	}
	return o
}

func setFlag(t *testing.T, o *Options, flag, value string) {
	t.Helper()
	for _, f := range FirstPoolFields() {
		if f.Flag == flag {
			setField(t, reflect.ValueOf(o.Pool()).Elem(), f, value)
			return
		}
	}
	for _, f := range Fields() {
		if f.Flag == flag {
			setField(t, reflect.ValueOf(o).Elem(), f, value)
			return
		}
	}
	t.Fatalf("there is no flag --%s", flag)
}

func setField(t *testing.T, v reflect.Value, f Field, value string) {
	t.Helper()
	key, rest, _ := strings.Cut(value, "=")
	switch at := fieldOf(t, v, f.Name).Addr().Interface().(type) {
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
	case *List:
		*at = strings.Split(value, ",")
	case *map[string]string:
		*at = map[string]string{key: rest}
	case *Annotations:
		*at = Annotations{key: rest}
	case *File:
		*at = File{Path: value, Content: exampleFile(t, value)}
	case *Files:
		*at = Files{{Path: value, Content: exampleFile(t, value)}}
	default:
		t.Fatalf("%s: unknown type %T", f.Name, at)
	}
}

func fieldOf(t *testing.T, v reflect.Value, name string) reflect.Value {
	t.Helper()
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.Tag.Get("yaml") == name || strings.EqualFold(f.Name, name) {
			return v.Field(i)
		}
	}
	t.Fatalf("%s has no option %q", v.Type(), name)
	return reflect.Value{}
}

func exampleFile(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "examples", name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// example is one field with its example set.
type example struct {
	Field
	name string
	pool bool
}

func examples() []example {
	var out []example
	for _, f := range Fields() {
		out = append(out, example{Field: f, name: f.Flag})
	}
	for _, f := range NodePoolFields() {
		name := f.Flag
		if f.PoolOnly {
			name = "nodepool-" + name
		}
		out = append(out, example{Field: f, name: name, pool: true})
	}
	return out
}

// options are those with the example and what it needs, and those with only what it needs.
func (e example) options(t *testing.T) (all, without Options) {
	t.Helper()
	all, without = with(t, e.With), with(t, e.With)
	v := reflect.ValueOf(&all).Elem()
	if e.pool {
		v = reflect.ValueOf(all.Pool()).Elem()
	}
	setField(t, v, e.Field, e.Example)
	return all, without
}

const (
	goodPullSecret = `{"auths":{"quay.io":{"auth":"dXNlcjpwYXNz"},"registry.redhat.io":{"auth":"dXNlcjpwYXNz","email":"a@b.c"}}}`
	goodKey        = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEXWHqGh4ka6JjJcFuPmKXaIYzZKXiB4GVQEmWU2IMp1 someone@example.com"
)

func many(n int) map[string]string {
	m := map[string]string{}
	for i := range n {
		m["l"+strings.Repeat("x", i)] = "y"
	}
	return m
}
