package config

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/suggest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// decoder reads a YAML tree into values, strictly: an unknown field, a repeated field and a value of another
// type are errors with their line.
type decoder struct {
	name string
	// directory is the directory that paths in the document are relative to.
	directory string
	// env is the requested environment of a Fleet; empty for none.
	env string
	// fields are the fields that the document may have.
	fields table
	// start sets the defaults of a list's item before it is read; nil sets none.
	start func(item any)
	at    map[string]place
}

func (d *decoder) decode(root *yaml.Node, into any) error {
	return d.value(root, "", reflect.ValueOf(into).Elem())
}

// value reads n into v. A null leaves v unchanged.
func (d *decoder) value(n *yaml.Node, path string, v reflect.Value) error {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return nil
	}
	d.at[path] = place{n.Line, n.Value}
	switch at := v.Addr().Interface().(type) {
	case **prereq.Settings:
		return d.settings(n, path, at)
	case *time.Duration:
		return d.duration(n, path, v)
	case *options.File:
		if f, _ := d.fields.at(path); f.Inline && n.Kind != yaml.ScalarNode {
			return d.inline(n, path, at)
		}
		return d.path(n, path, at)
	}
	switch v.Kind() {
	case reflect.Struct:
		return d.mapping(n, path, func(key string, at, value *yaml.Node) error { return d.field(key, at, value, path, v) })
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		return d.mapping(n, path, func(key string, _, value *yaml.Node) error {
			item := reflect.New(v.Type().Elem()).Elem()
			if err := d.value(value, join(path, key), item); err != nil {
				return err
			}
			v.SetMapIndex(reflect.ValueOf(key), item)
			return nil
		})
	case reflect.Slice:
		return d.list(n, path, v)
	case reflect.Int, reflect.Int32:
		i, err := strconv.ParseInt(n.Value, 10, v.Type().Bits())
		if n.Kind != yaml.ScalarNode || n.Tag != "!!int" || err != nil {
			return d.fail(n, path, "is %s, but has to be a whole number", kindOf(n))
		}
		v.SetInt(i)
	case reflect.Bool:
		if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" {
			return d.fail(n, path, "is %s, but has to be true or false", kindOf(n))
		}
		v.SetBool(strings.EqualFold(n.Value, "true"))
	default:
		return d.text(n, path, v)
	}
	return nil
}

// mapping calls each once for every key.
func (d *decoder) mapping(n *yaml.Node, path string, each func(key string, at, value *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return d.fail(n, path, "is %s, but has to hold %s", kindOf(n), d.fields.holds(path))
	}
	first := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			return d.fail(key, path, "has %s for a key, which has to be a word", kindOf(key))
		}
		if line, ok := first[key.Value]; ok {
			return d.fail(key, join(path, key.Value), "is given twice, first in line %d", line)
		}
		first[key.Value] = key.Line
		if err := each(key.Value, key, value); err != nil {
			return err
		}
	}
	return nil
}

// field reads the value of one field of a struct.
func (d *decoder) field(key string, at, value *yaml.Node, path string, v reflect.Value) error {
	known := d.fields.children(path)
	for name, at := range fieldsOf(v) {
		if name == key && slices.Contains(known, key) {
			return d.value(value, join(path, key), at)
		}
	}
	text := "is not a field"
	if elsewhere := d.fields.placeOf(key, path); elsewhere != "" {
		text += "; did you mean " + elsewhere + "?"
	} else if words := suggest.Words(key, known); len(words) > 0 {
		text += "; did you mean " + strings.Join(words, " or ") + "?"
	}
	return d.failWith(at, join(path, key), hint.New("allowed here: %s", strings.Join(known, ", ")), "%s", text)
}

func (d *decoder) list(n *yaml.Node, path string, v reflect.Value) error {
	if n.Kind != yaml.SequenceNode {
		return d.fail(n, path, "is %s, but has to be a list, such as [%s]", kindOf(n), example(n))
	}
	items := reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content))
	for i, item := range n.Content {
		if d.start != nil {
			d.start(items.Index(i).Addr().Interface())
		}
		if err := d.value(item, fmt.Sprintf("%s[%d]", path, i), items.Index(i)); err != nil {
			return err
		}
	}
	v.Set(items)
	return nil
}

func (d *decoder) text(n *yaml.Node, path string, v reflect.Value) error {
	if n.Kind != yaml.ScalarNode {
		return d.fail(n, path, "is %s, but has to be text", kindOf(n))
	}
	if n.Tag != "!!str" {
		return d.fail(n, path, "is %s, but has to be text: write %q in quotes", kindOf(n), n.Value)
	}
	if f, ok := d.fields.at(path); ok && len(f.Values) > 0 && !slices.Contains(f.Values, n.Value) {
		return d.fail(n, path, "%q: use one of %s", n.Value, strings.Join(f.Values, ", "))
	}
	v.SetString(n.Value)
	return nil
}

func (d *decoder) path(n *yaml.Node, path string, file *options.File) error {
	var name string
	if err := d.text(n, path, reflect.ValueOf(&name).Elem()); err != nil {
		return err
	}
	*file = options.File{Path: d.located(name), Directory: cmp.Or(d.directory, ".")}
	return nil
}

// inline reads content that is in the document instead of in a file.
func (d *decoder) inline(n *yaml.Node, path string, file *options.File) (err error) {
	d.places(n, path)
	var value any
	if err := n.Decode(&value); err != nil {
		return d.fail(n, path, "cannot be read: %s", strings.ReplaceAll(strings.TrimPrefix(err.Error(), "yaml: "), "\n", " "))
	}
	if file.Content, err = json.Marshal(value); err != nil {
		return d.fail(n, path, "has a key that is no text")
	}
	file.Path, file.Directory, file.Parts = "", "", nil
	return nil
}

// settings reads fields of the spec of an operator's object.
func (d *decoder) settings(n *yaml.Node, path string, into **prereq.Settings) error {
	if n.Kind != yaml.MappingNode {
		return d.fail(n, path, "is %s, but has to hold fields of the object's spec", kindOf(n))
	}
	if empty := nullIn(n); empty != nil {
		return d.fail(empty, path, "has a field without a value: take it out")
	}
	file := options.File{}
	if err := d.inline(n, path, &file); err != nil {
		return err
	}
	s := &prereq.Settings{Path: path, File: d.name, Lines: map[string]int{}}
	if err := s.Read(file.Content); err != nil {
		return d.fail(n, path, "cannot be read: %s", err)
	}
	for at, place := range d.at {
		if below, ok := strings.CutPrefix(at, path+"."); ok {
			s.Lines[below] = place.line
		}
	}
	if len(s.Fields) > 0 {
		*into = s
	}
	return nil
}

// nullIn returns the first null in n, or nil if there is none.
func nullIn(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return n
	}
	for _, inner := range n.Content {
		if empty := nullIn(inner); empty != nil {
			return empty
		}
	}
	return nil
}

// places stores the place of each part of a value. For a list's item it also stores the text of the item's path,
// because a JSON Patch names what it changes by that. Dates stay strings, as in JSON.
func (d *decoder) places(n *yaml.Node, path string) {
	if n.Tag == "!!timestamp" {
		n.Tag = "!!str"
	}
	if _, is := d.at[path]; !is {
		d.at[path] = place{n.Line, n.Value}
	}
	for i, item := range n.Content {
		switch {
		case n.Kind == yaml.SequenceNode:
			at := fmt.Sprintf("%s[%d]", path, i)
			if named := fieldOf(item, "path"); named != nil {
				d.at[at] = place{item.Line, named.Value}
			}
			d.places(item, at)
		case i%2 == 1:
			d.places(item, join(path, n.Content[i-1].Value))
		}
	}
}

// located returns a path of the document relative to the working directory. "-" stays standard input.
func (d *decoder) located(path string) string {
	if path == "" || path == "-" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(d.directory, path)
}

func (d *decoder) duration(n *yaml.Node, path string, v reflect.Value) error {
	t, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || t < 0 {
		return d.fail(n, path, "is %s, but has to be a time, such as 90m or 1h30m", kindOf(n))
	}
	v.SetInt(int64(t))
	return nil
}
