package config

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// WriteCluster returns the Cluster document with the options that differ from the defaults. A file with it in
// directory, to which its paths are relative, gives the same options again. Options that a document cannot have,
// such as how long to wait, are left out.
func WriteCluster(o options.Cluster, directory string) ([]byte, error) {
	defaults := options.Defaults()
	meta := mapping("name", text(o.Name))
	if o.Namespace != defaults.Namespace {
		add(meta, "namespace", text(o.Namespace))
	}
	w := writer{directory: directory}
	if len(o.Labels) > 0 {
		add(meta, "labels", w.node(reflect.ValueOf(o.Labels)))
	}
	if len(o.Annotations) > 0 {
		add(meta, "annotations", w.node(reflect.ValueOf(o.Annotations)))
	}
	doc := mapping("apiVersion", text(APIVersion), "kind", text(KindCluster), "metadata", meta)
	spec := mapping()
	for _, f := range options.Fields() {
		if name, is := strings.CutPrefix(clusterPath(f), "spec."); is {
			w.differingAt(spec, name, option.At(reflect.ValueOf(o), name), option.At(reflect.ValueOf(defaults), name))
		}
	}
	if o.Services.Listed && fieldOf(spec, "services") == nil {
		add(spec, "services", &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle})
	}
	pools := &yaml.Node{Kind: yaml.SequenceNode}
	needed := len(o.NodePools) != 1
	for _, pool := range o.NodePools {
		one := w.pool(pool)
		needed = needed || len(one.Content) > 0
		pools.Content = append(pools.Content, one)
	}
	if needed {
		add(spec, "nodePools", pools)
	}
	if len(spec.Content) > 0 {
		add(doc, "spec", spec)
	}
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(doc); err != nil {
		return nil, fmt.Errorf("cannot write the document: %w", err)
	}
	return b.Bytes(), e.Close()
}

// writer converts values to YAML nodes. Paths become relative to directory.
type writer struct{ directory string }

// pool returns the options of a pool that differ from the defaults.
func (w writer) pool(pool options.NodePool) *yaml.Node {
	out := mapping()
	if pool.Name != "" {
		add(out, "name", text(pool.Name))
	}
	for _, f := range options.NodePoolFields() {
		if f.Name != "name" {
			w.differing(out, f.Name, option.At(reflect.ValueOf(pool), f.Name),
				option.At(reflect.ValueOf(options.DefaultNodePool()), f.Name))
		}
	}
	return out
}

// differingAt is differing for a name with dots, which is a path of mappings. It adds a mapping only if
// something is in it.
func (w writer) differingAt(to *yaml.Node, name string, v, byDefault reflect.Value) {
	outer, inner, nested := strings.Cut(name, ".")
	if !nested {
		w.differing(to, name, v, byDefault)
		return
	}
	in := fieldOf(to, outer)
	made := in == nil
	if made {
		in = mapping()
	}
	w.differingAt(in, inner, v, byDefault)
	if made && len(in.Content) > 0 {
		add(to, outer, in)
	}
}

// differing adds a value that is not the default. An empty list or map counts as none.
func (w writer) differing(to *yaml.Node, name string, v, byDefault reflect.Value) {
	if k := v.Kind(); (k == reflect.Slice || k == reflect.Map) && v.Len() == 0 && byDefault.Len() == 0 {
		return
	}
	if !reflect.DeepEqual(v.Interface(), byDefault.Interface()) {
		add(to, name, w.node(v))
	}
}

func (w writer) node(v reflect.Value) *yaml.Node {
	switch value := v.Interface().(type) {
	case time.Duration:
		return text(shortly(value))
	case options.File:
		if value.Path == "" {
			return inlined(value.Content)
		}
		return text(relative(value.Path, w.directory))
	}
	switch v.Kind() {
	case reflect.Slice:
		out := &yaml.Node{Kind: yaml.SequenceNode}
		for i := range v.Len() {
			out.Content = append(out.Content, w.node(v.Index(i)))
		}
		return out
	case reflect.Map:
		out := mapping()
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return bytes.Compare([]byte(a.String()), []byte(b.String())) })
		for _, key := range keys {
			out.Content = append(out.Content, text(key.String()), w.node(v.MapIndex(key)))
		}
		return out
	case reflect.String:
		return text(v.String())
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: fmt.Sprint(v.Interface())}
}

// inlined returns the content of a file without a name as a part of the document.
func inlined(content []byte) *yaml.Node {
	root := &yaml.Node{}
	if err := yaml.Unmarshal(content, root); err != nil || len(root.Content) != 1 {
		return text(string(content))
	}
	var block func(*yaml.Node)
	block = func(n *yaml.Node) {
		n.Style = 0
		for _, inner := range n.Content {
			block(inner)
		}
	}
	block(root)
	return root.Content[0]
}

func text(s string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(s)
	return n
}

// mapping returns a mapping node of these keys and values.
func mapping(pairs ...any) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for i := 0; i+1 < len(pairs); i += 2 {
		add(n, pairs[i].(string), pairs[i+1].(*yaml.Node))
	}
	return n
}

func add(to *yaml.Node, key string, value *yaml.Node) {
	to.Content = append(to.Content, text(key), value)
}
