package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// fleetEnvironment holds the options that differ in one environment of a Fleet.
type fleetEnvironment struct {
	clusterBody
	NodePool options.NodePool `yaml:"nodePool"`
}

// Environments returns the names of the environments in the documents of data, sorted. It does not validate the
// rest of the documents.
func Environments(name string, data []byte) ([]string, error) {
	d := &decoder{name: name}
	roots, err := d.documents(data)
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for _, root := range roots {
		for _, env := range keysOf(target(fieldOf(root, "environments"))) {
			found[env.Value] = true
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// keysOf returns the keys of a mapping, or nil if n is none.
func keysOf(n *yaml.Node) []*yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	var keys []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		keys = append(keys, n.Content[i])
	}
	return keys
}

// environmentName is a DNS label, so that it can be a part of the names of namespaces and directories.
var environmentName = lazyregexp.New(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)

// environmentPath returns the path of an environment in a Fleet.
func environmentPath(env string) string { return "environments." + env }

// target returns the node that an alias refers to, or the node itself.
func target(n *yaml.Node) *yaml.Node {
	if n != nil && n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// noEnvironments returns the error that an environment was requested and the document has none.
func (d *decoder) noEnvironments(root *yaml.Node) error {
	return d.failWith(root, "", hint.New("a Fleet lists them: environments: {%s: {}}", d.env),
		"has no environments, and %s %s wants one", hint.Flag("env"), d.env)
}

// environments checks the environments of a Fleet, and that the requested one is among them.
func (d *decoder) environments(root *yaml.Node, doc fleetDocument) error {
	keys := keysOf(target(fieldOf(root, "environments")))
	names := make([]string, len(keys))
	for i, key := range keys {
		names[i] = key.Value
		if !environmentName.MatchString(key.Value) {
			return d.fail(key, environmentPath(key.Value), "is not a name for an environment: use lower case letters, digits "+
				"and -, at most 63, such as dev")
		}
	}
	listed := strings.Join(names, ", ")
	switch at := fieldOf(root, "environments"); {
	case len(names) == 0 && d.env != "":
		return d.noEnvironments(root)
	case len(names) > 0 && d.env == "":
		return d.failWith(at, "environments", hint.New("add %s %s", hint.Flag("env"), names[0]),
			"are %s: choose one with %s", listed, hint.Flag("env"))
	case d.env != "" && !slices.Contains(names, d.env):
		return d.failWith(at, "environments", hint.New("use one of them for %s", hint.Flag("env")),
			"are %s: %q is none of them", listed, d.env)
	}
	for i, entry := range doc.Clusters {
		for j, env := range entry.Environments {
			path := fmt.Sprintf("clusters[%d].environments[%d]", i, j)
			if !slices.Contains(names, env) {
				return &Error{File: d.name, Line: d.at[path].line, Path: path,
					Message: fmt.Sprintf("%q: use one of %s", env, listed)}
			}
		}
	}
	return nil
}

// overlay overrides a cluster and each of its pools by the options of the requested environment. Labels and
// annotations are added to those of the cluster; every other field replaces the cluster's, also a list as a
// whole.
func (d *decoder) overlay(root *yaml.Node, body *clusterBody) error {
	env, path := target(fieldOf(target(fieldOf(root, "environments")), d.env)), environmentPath(d.env)
	labels, annotations := body.Metadata.Labels, body.Metadata.Annotations
	body.Metadata.Labels, body.Metadata.Annotations = nil, nil
	layer := func(key string, into any) error {
		n := fieldOf(env, key)
		if n == nil {
			return nil
		}
		return d.value(n, join(path, key), reflect.ValueOf(into).Elem())
	}
	if err := layer("metadata", &body.Metadata); err != nil {
		return err
	}
	labels = over(labels, map[string]string{hostedcluster.EnvironmentLabel: d.env})
	body.Metadata.Labels = over(labels, body.Metadata.Labels)
	body.Metadata.Annotations = over(annotations, body.Metadata.Annotations)
	if err := layer("spec", &body.Spec); err != nil {
		return err
	}
	body.Spec.NodePools = slices.Clone(body.Spec.NodePools)
	for i := range body.Spec.NodePools {
		if err := layer("nodePool", &body.Spec.NodePools[i]); err != nil {
			return err
		}
	}
	labelNodes(body)
	return nil
}

// labelNodes adds the label env to the nodes of each pool, unless the pool sets it: the hosted cluster learns
// its environment from it. HyperShift labels nodes only when they join (hosted-cluster-config-operator,
// controllers/node, labelsHaveSynced), so no node is replaced.
func labelNodes(body *clusterBody) {
	env, labelled := body.Metadata.Labels[hostedcluster.EnvironmentLabel]
	if !labelled {
		return
	}
	for i, pool := range body.Spec.NodePools {
		body.Spec.NodePools[i].NodeLabels = over(map[string]string{hostedcluster.EnvironmentLabel: env}, pool.NodeLabels)
	}
}
