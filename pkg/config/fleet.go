package config

import (
	"fmt"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// MaxClusters limits the clusters that one entry of a Fleet stands for. The hypershift addon allows 80 hosted
// clusters on a management cluster by default, so more than a thousand is a typing error.
const MaxClusters = 1000

// fleetDocument is a document of kind Fleet.
type fleetDocument struct {
	APIVersion   string                      `yaml:"apiVersion"`
	Kind         string                      `yaml:"kind"`
	Defaults     fleetDefaults               `yaml:"defaults"`
	Clusters     []fleetCluster              `yaml:"clusters"`
	Environments map[string]fleetEnvironment `yaml:"environments"`
}

type fleetDefaults struct {
	clusterBody
	NodePool options.NodePool `yaml:"nodePool"`
}

// fleetCluster is one cluster, or several that differ only in the number in their names.
type fleetCluster struct {
	Count        int          `yaml:"count"`
	First        int          `yaml:"first"`
	Environments options.List `yaml:"environments"`
	clusterBody
}

// ParseClusters reads every document of data, each of kind Cluster or Fleet, and returns the clusters in order.
// Two clusters of the same name and namespace are an error. name, directory and errors are as for Parse.
//
// env is the requested environment. A document with environments needs one of them, and a document without needs
// "".
func ParseClusters(name, directory string, data []byte, env string) ([]*Cluster, error) {
	d := &decoder{name: name, directory: directory, env: env}
	roots, err := d.documents(data)
	if err != nil {
		return nil, err
	}
	var all []*Cluster
	for _, root := range roots {
		kind, err := d.header(root, KindCluster, KindFleet)
		if err != nil {
			return nil, err
		}
		more, err := d.clusters(root, kind)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, Distinct(all)
}

func (d *decoder) clusters(root *yaml.Node, kind string) ([]*Cluster, error) {
	if kind == KindFleet {
		return d.fleet(root)
	}
	if d.env != "" {
		return nil, d.noEnvironments(root)
	}
	c, err := d.cluster(root)
	return []*Cluster{c}, err
}

// Distinct returns an error for clusters of the same name and namespace, also from different files.
func Distinct(all []*Cluster) error {
	first := map[string]*Cluster{}
	for _, c := range all {
		key := c.Options.Namespace + "/" + c.Options.Name
		if other := first[key]; other != nil && c.Options.Name != "" {
			path, at, _ := c.find("metadata.name")
			return &Error{File: c.name, Line: at.line, Path: path,
				Message: fmt.Sprintf("%q: the cluster %s is described already, at %s", at.text, key, other.Where())}
		}
		first[key] = c
	}
	return nil
}

// fleet reads a document of kind Fleet. It reads the defaults first, wherever they are in the document, and in
// them first those for all pools.
func (d *decoder) fleet(root *yaml.Node) ([]*Cluster, error) {
	d.fields, d.at = fleetFields(), map[string]place{}
	doc := fleetDocument{Defaults: fleetDefaults{clusterBody: newBody(), NodePool: options.DefaultNodePool()}}
	root = inFront(root, "defaults")
	if defaults := fieldOf(root, "defaults"); defaults != nil {
		*defaults = *inFront(defaults, "nodePool")
	}
	d.start = func(item any) {
		startPools(doc.Defaults.NodePool)(item)
		if c, ok := item.(*fleetCluster); ok {
			if _, said := d.at["defaults.spec.nodePools"]; !said {
				doc.Defaults.Spec.NodePools = []options.NodePool{doc.Defaults.NodePool}
			}
			c.clusterBody = doc.Defaults.clusterBody
		}
	}
	if err := d.decode(root, &doc); err != nil {
		return nil, err
	}
	if len(doc.Clusters) == 0 {
		return nil, d.fail(root, "",
			"clusters is missing or empty: a Fleet lists its clusters, each with metadata: {name: NAME}")
	}
	if err := d.environments(root, doc); err != nil {
		return nil, err
	}
	var all []*Cluster
	for i, entry := range doc.Clusters {
		more, err := d.entry(root, doc, entry, i)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

// entry returns the clusters that one entry of a Fleet stands for, in the requested environment.
func (d *decoder) entry(root *yaml.Node, doc fleetDocument, entry fleetCluster, i int) ([]*Cluster, error) {
	at := fmt.Sprintf("clusters[%d]", i)
	if d.env != "" && len(entry.Environments) > 0 && !slices.Contains(entry.Environments, d.env) {
		return nil, nil
	}
	entry.Metadata.Labels = over(doc.Defaults.Metadata.Labels, entry.Metadata.Labels)
	entry.Metadata.Annotations = over(doc.Defaults.Metadata.Annotations, entry.Metadata.Annotations)
	names, err := d.namesOf(entry, at)
	if err != nil {
		return nil, err
	}
	from := Cluster{name: d.name, line: d.at[at].line, at: d.at, within: []string{at, "defaults"},
		pools: []string{"defaults.nodePool"}}
	if d.env != "" {
		if err := d.overlay(root, &entry.clusterBody); err != nil {
			return nil, err
		}
		path := environmentPath(d.env)
		from.within, from.allPools = append([]string{path}, from.within...), join(path, "nodePool")
	}
	var all []*Cluster
	for _, name := range names {
		entry.Metadata.Name = name
		c := from
		c.Options = entry.options()
		c.Options.Services.Listed = c.Says("spec.services")
		if err := c.noEmptyPools(); err != nil {
			return nil, err
		}
		all = append(all, &c)
	}
	return all, nil
}

// over returns a copy of below, overridden by above.
func over[M ~map[string]string](below, above M) M {
	if below == nil {
		return above
	}
	out := maps.Clone(below)
	maps.Copy(out, above)
	return out
}

// inFront returns a mapping with one key moved before all others.
func inFront(n *yaml.Node, key string) *yaml.Node {
	if n.Kind != yaml.MappingNode {
		return n
	}
	out := *n
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			out.Content = append(slices.Clone(n.Content[i:i+2]), slices.Delete(slices.Clone(n.Content), i, i+2)...)
			break
		}
	}
	return &out
}

// numbered matches the pattern for the number in a name.
var numbered = lazyregexp.New(`%(0[1-9])?d`)

// namesOf returns the names of the clusters that an entry stands for.
func (d *decoder) namesOf(entry fleetCluster, within string) ([]string, error) {
	at := func(field string) (path string, line int) {
		path = join(within, field)
		if p, ok := d.at[path]; ok {
			return path, p.line
		}
		return path, d.at[within].line
	}
	fail := func(field, format string, args ...any) error {
		path, line := at(field)
		return &Error{File: d.name, Line: line, Path: path, Message: fmt.Sprintf(format, args...)}
	}
	name := entry.Metadata.Name
	patterns := len(numbered.FindAllString(name, -1))
	_, counted := d.at[join(within, "count")]
	_, started := d.at[join(within, "first")]
	switch {
	case !counted && started:
		return nil, fail("first", "%d: there is no count to number from it", entry.First)
	case !counted && patterns > 0:
		return nil, fail("metadata.name", "%q: has a pattern for a number, but there is no count", name)
	case !counted:
		return []string{name}, nil
	case entry.Count < 1 || entry.Count > MaxClusters:
		return nil, fail("count", "%d: has to be between 1 and %d", entry.Count, MaxClusters)
	case entry.First < 0:
		return nil, fail("first", "%d: cannot be negative", entry.First)
	case patterns != 1:
		return nil, fail("metadata.name", "%q: with a count, the name has one pattern for the number, such as kv-%%03d", name)
	}
	names := make([]string, entry.Count)
	for i := range names {
		names[i] = numbered.ReplaceAllStringFunc(name, func(pattern string) string {
			return fmt.Sprintf(pattern, entry.First+i)
		})
	}
	return names, nil
}
