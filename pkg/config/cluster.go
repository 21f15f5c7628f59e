package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// Cluster is a hosted cluster in a file: a document of kind Cluster, or one cluster of a Fleet.
type Cluster struct {
	// Options are the options in the file, over the defaults. The files that they name are not read yet.
	Options options.Cluster
	name    string
	line    int
	at      map[string]place
	// within are the paths in the document under which options of this cluster can be, the nearest first: "" in
	// a Cluster, "clusters[3]" and "defaults" in a Fleet.
	within []string
	// pools are the paths with options of all pools, such as "defaults.nodePool".
	pools []string
	// allPools is a path with options of all pools that overrides those of single pools; empty for none.
	allPools string
}

// clusterDocument is a document of kind Cluster.
type clusterDocument struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
	clusterBody
}

// clusterBody is the description of a cluster in a Cluster, or in a part of a Fleet.
type clusterBody struct {
	Metadata metadata        `yaml:"metadata"`
	Spec     options.Cluster `yaml:"spec"`
}

type metadata struct {
	Name        string              `yaml:"name"`
	Namespace   string              `yaml:"namespace"`
	Labels      map[string]string   `yaml:"labels"`
	Annotations options.Annotations `yaml:"annotations"`
}

// newBody returns a cluster with the defaults.
func newBody() clusterBody {
	o := options.Defaults()
	return clusterBody{Metadata: metadata{Namespace: o.Namespace}, Spec: o}
}

// options returns the cluster's options with its metadata.
func (b clusterBody) options() options.Cluster {
	o := b.Spec
	o.Name, o.Namespace = b.Metadata.Name, b.Metadata.Namespace
	o.Labels, o.Annotations = b.Metadata.Labels, b.Metadata.Annotations
	o.NodePools = slices.Clone(o.NodePools)
	return o
}

// ParseCluster reads data, which must have exactly one document of kind Cluster. Its parameters and its error
// are as for Parse.
func ParseCluster(name, directory string, data []byte) (*Cluster, error) {
	d := &decoder{name: name, directory: directory}
	roots, err := d.documents(data)
	if err != nil {
		return nil, err
	}
	if len(roots) > 1 {
		return nil, &Error{File: name, Line: roots[1].Line, Message: "a second document begins here, and create cluster " +
			"makes one cluster",
			Next: hint.New("%s creates all that are in it", hint.Run("apply").Flag("f", name))}
	}
	if _, err := d.header(roots[0], KindCluster); err != nil {
		return nil, err
	}
	return d.cluster(roots[0])
}

// cluster reads a document of kind Cluster.
func (d *decoder) cluster(root *yaml.Node) (*Cluster, error) {
	d.fields, d.at, d.start = clusterFields(options.Fields()), map[string]place{}, startPools(options.DefaultNodePool())
	doc := clusterDocument{clusterBody: newBody()}
	if err := d.decode(root, &doc); err != nil {
		return nil, err
	}
	c := &Cluster{Options: doc.options(), name: d.name, line: root.Line, at: d.at, within: []string{""}}
	c.Options.Services.Listed = c.Says("spec.services")
	return c, c.noEmptyPools()
}

// startPools returns a start function of decoder that begins each pool of a list with the given one.
func startPools(pool options.NodePool) func(any) {
	return func(item any) {
		if p, ok := item.(*options.NodePool); ok {
			*p = pool
		}
	}
}

// noEmptyPools returns an error for an empty list of pools. A cluster without workers needs a pool with 0
// replicas.
func (c *Cluster) noEmptyPools() error {
	if len(c.Options.NodePools) > 0 {
		return nil
	}
	path, at, _ := c.find("spec.nodePools")
	return &Error{File: c.name, Line: at.line, Path: path, Message: "is an empty list: leave it out for a pool of the " +
		"defaults, or write [{replicas: 0}] for a cluster without workers"}
}

// Where returns the file and the line at which the cluster begins, such as "fleet.yaml:12".
func (c *Cluster) Where() string { return fmt.Sprintf("%s:%d", c.name, c.line) }

// find returns the first place in the document with this field of the cluster. path is the field's path in a
// Cluster document.
func (c *Cluster) find(path string) (string, place, bool) {
	ofPool := strings.HasPrefix(path, "spec.nodePools[")
	_, field, named := strings.Cut(path, "].")
	if ofPool && named && c.allPools != "" {
		if at, ok := c.at[join(c.allPools, field)]; ok {
			return join(c.allPools, field), at, true
		}
	}
	for _, within := range c.within {
		if at, ok := c.at[join(within, path)]; ok {
			return join(within, path), at, true
		}
		if _, ok := c.at[join(within, "spec.nodePools")]; ok && ofPool {
			break // these pools replace those of the defaults
		}
	}
	if named && ofPool {
		for _, pool := range c.pools {
			if at, ok := c.at[join(pool, field)]; ok {
				return join(pool, field), at, true
			}
		}
	}
	return "", place{}, false
}

// Locate returns the problem of an option with its line in the document. If the document does not set the option
// and the problem is that it is missing, the line is that of the cluster. Else it returns nil.
func (c *Cluster) Locate(p *options.Error) error {
	field := pathOf(p)
	if field == "" {
		return nil
	}
	path, at, ok := c.find(field)
	switch {
	case !ok && p.Text() != "":
		return nil
	case !ok:
		return &Error{File: c.name, Line: c.line, Path: join(c.within[0], field), Message: sentenceOf(p), Next: p.Next}
	}
	for i := 0; ; i++ { // the item of a list that the problem quotes
		item, ok := c.at[fmt.Sprintf("%s[%d]", path, i)]
		if !ok {
			break
		}
		if item.text == p.Text() {
			path, at = fmt.Sprintf("%s[%d]", path, i), item
			break
		}
	}
	if item, ok := c.at[path+"."+p.Text()]; ok { // the key of a map
		path, at = path+"."+p.Text(), item
	}
	return &Error{File: c.name, Line: at.line, Path: path, Message: sentenceOf(p), Next: p.Next}
}

// sentenceOf returns the text of a problem, to follow the name of its field.
func sentenceOf(p *options.Error) string {
	return strings.TrimPrefix(p.Sentence(), " ")
}

// pathOf returns the path of the problem's field in a Cluster document, or "" if it has none.
func pathOf(p *options.Error) string {
	if p.Pool != nil {
		for _, f := range options.NodePoolFields() {
			if f.Name == p.Field {
				return fmt.Sprintf("spec.nodePools[%d].%s", *p.Pool, f.Name)
			}
		}
		return ""
	}
	switch p.Field {
	case "name", "namespace":
		return "metadata." + p.Field
	}
	for _, f := range options.Fields() {
		if f.Name == p.Field {
			return clusterPath(f)
		}
	}
	return ""
}

// relative returns a path relative to a directory. Both are relative to the working directory.
func relative(path, directory string) string {
	if path == "" || path == "-" || filepath.IsAbs(path) {
		return path
	}
	if rel, err := filepath.Rel(directory, path); err == nil {
		return rel
	}
	return path
}

// Says reports whether the document sets a field, for this cluster or as a default. path is the field's path in
// a Cluster document.
func (c *Cluster) Says(path string) bool {
	_, _, ok := c.find(path)
	return ok
}
