package kubeconfig

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"

	"go.yaml.in/yaml/v3"
	"k8s.io/client-go/tools/clientcmd"
)

// document is a kubeconfig as YAML nodes, so that order, comments and unknown fields are kept.
type document struct{ root *yaml.Node }

// kind is one of the three lists of a kubeconfig.
type kind struct{ list, key, word string }

var (
	clusterKind = kind{"clusters", "cluster", "cluster"}
	contextKind = kind{"contexts", "context", "context"}
	userKind    = kind{"users", "user", "user"}
)

func kinds() []kind { return []kind{clusterKind, contextKind, userKind} }

const currentContext = "current-context"

// parse parses a kubeconfig; empty data is an empty one. It fails if client-go could not read the data, or if hcctl
// could not write it back.
func parse(data []byte) (*document, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		data = []byte("apiVersion: v1\nkind: Config\n")
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	root := &yaml.Node{}
	if err := decoder.Decode(root); err != nil {
		return nil, err
	}
	if err := decoder.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return nil, errors.New("it holds several YAML documents")
	}
	if root.Kind != yaml.DocumentNode || len(root.Content) != 1 || root.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("it is not a mapping")
	}
	d := &document{root}
	if v := value(d.top(), "kind"); v != nil && v.Value != "Config" {
		return nil, fmt.Errorf("its kind is %q, that of a kubeconfig is Config", v.Value)
	}
	if v := value(d.top(), "apiVersion"); v != nil && v.Value != "v1" {
		return nil, fmt.Errorf("its apiVersion is %q, that of a kubeconfig is v1", v.Value)
	}
	for _, k := range kinds() {
		if v := value(d.top(), k.list); v != nil && !isNull(v) && v.Kind != yaml.SequenceNode {
			return nil, fmt.Errorf("its %s are not a list", k.list)
		}
	}
	if _, err := clientcmd.Load(data); err != nil {
		return nil, err
	}
	return d, nil
}

// bytes encodes the document in kubectl's style: two spaces, lists not indented.
func (d *document) bytes() ([]byte, error) {
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	if err := encoder.Encode(d.root); err != nil {
		return nil, err
	}
	return b.Bytes(), encoder.Close()
}

func (d *document) top() *yaml.Node { return d.root.Content[0] }

func (d *document) items(k kind) []*yaml.Node {
	if v := value(d.top(), k.list); v != nil {
		return v.Content
	}
	return nil
}

// item returns the entry with this name, nil if there is none.
func (d *document) item(k kind, name string) *yaml.Node {
	for _, item := range d.items(k) {
		if n := value(item, "name"); n != nil && n.Value == name {
			return item
		}
	}
	return nil
}

// put adds an entry, or replaces the one with its name.
func (d *document) put(k kind, item *yaml.Node) {
	if old := d.item(k, nameOf(item)); old != nil {
		set(old, k.key, value(item, k.key))
		return
	}
	list := value(d.top(), k.list)
	if list == nil || isNull(list) {
		list = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		set(d.top(), k.list, list)
	}
	if len(list.Content) == 0 {
		list.Style = 0 // an empty list may be in flow style ("[]")
	}
	list.Content = append(list.Content, item)
}

// drop removes an entry.
func (d *document) drop(k kind, name string) {
	list := value(d.top(), k.list)
	if list == nil {
		return
	}
	list.Content = slices.DeleteFunc(list.Content, func(item *yaml.Node) bool { return nameOf(item) == name })
	if len(list.Content) == 0 {
		list.Style = yaml.FlowStyle
	}
}

func (d *document) current() string {
	if v := value(d.top(), currentContext); v != nil {
		return v.Value
	}
	return ""
}

func (d *document) setCurrent(name string) {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name}
	if name == "" {
		n.Style = yaml.DoubleQuotedStyle
	}
	set(d.top(), currentContext, n)
}

// value returns the value of a key, nil if there is none.
func value(mapping *yaml.Node, key string) *yaml.Node {
	if mapping == nil || mapping.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	return nil
}

func set(mapping *yaml.Node, key string, v *yaml.Node) {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			mapping.Content[i+1] = v
			return
		}
	}
	mapping.Content = append(mapping.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, v)
}

func nameOf(item *yaml.Node) string {
	if n := value(item, "name"); n != nil {
		return n.Value
	}
	return ""
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// equal reports whether two nodes have the same content in any style.
func equal(a, b *yaml.Node) bool {
	var x, y any
	if a == nil || b == nil || a.Decode(&x) != nil || b.Decode(&y) != nil {
		return false
	}
	return reflect.DeepEqual(x, y)
}
