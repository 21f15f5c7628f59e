package multicluster

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/Masterminds/semver/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// Components of the engine that hosting needs.
const (
	componentLocalCluster = "local-cluster"
	componentLocalHosting = "hypershift-local-hosting"
	componentHypershift   = "hypershift"
	componentPreview      = "hypershift-preview"
)

// hypershiftName returns the name of the hypershift component: before 2.4 it is a preview, and the webhook refuses the
// later name.
func hypershiftName(version *semver.Version) string {
	if prereq.EngineBefore(version, 4) {
		return componentPreview
	}
	return componentHypershift
}

// onByDefault reports whether the engine enables the component by default, so that a disabled one was turned off by a
// user (backplane-operator 2.2 to 2.11).
func onByDefault(name string) bool { return name != componentPreview }

// components is spec.overrides.components of the engine or of Advanced Cluster Management's hub.
type components []map[string]any

func componentsOf(owner *unstructured.Unstructured) components {
	if owner == nil {
		return nil
	}
	return kube.Maps(owner, "spec", "overrides", "components")
}

// enabled returns the value of an entry, and whether it exists.
func (c components) enabled(name string) (on, exists bool) {
	for _, entry := range c {
		if prereq.Text(entry, "name") == name {
			on, _ = entry["enabled"].(bool)
			return on, true
		}
	}
	return false, false
}

// clusterAPI returns the indices of the enabled Cluster API entries, which the webhook refuses beside hypershift from
// 2.10 on.
func (c components) clusterAPI() []int {
	var out []int
	for i, entry := range c {
		if on, _ := entry["enabled"].(bool); on && strings.HasPrefix(prereq.Text(entry, "name"), "cluster-api") {
			out = append(out, i)
		}
	}
	return out
}

func (c components) names(indices []int) []string {
	out := make([]string, 0, len(indices))
	for _, i := range indices {
		out = append(out, prereq.Text(c[i], "name"))
	}
	return out
}

// disabling returns the JSON patch that disables the entries. The patch fails if the list has changed.
func (c components) disabling(indices []int) string {
	var ops []string
	for _, i := range indices {
		ops = append(ops, fmt.Sprintf(`{"op":"test","path":"/spec/overrides/components/%d/name","value":%q},{`+
			`"op":"replace","path":"/spec/overrides/components/%d/enabled","value":false}`,
			i, prereq.Text(c[i], "name"), i))
	}
	return "[" + strings.Join(ops, ",") + "]"
}

// with returns a copy of the list with the named entries enabled. All other entries and fields stay the same.
func (c components) with(names ...string) components {
	out := make(components, 0, len(c)+len(names))
	for _, entry := range c {
		copied := maps.Clone(entry)
		for _, name := range names {
			if prereq.Text(entry, "name") == name {
				copied["enabled"] = true
			}
		}
		out = append(out, copied)
	}
	for _, name := range names {
		if _, exists := c.enabled(name); !exists {
			out = append(out, map[string]any{"name": name, "enabled": true})
		}
	}
	return out
}

// enableComponents enables entries in the list of their owner. A merge patch replaces whole lists, so it writes the
// whole list with the resource version that was read; a conflict is retried.
func enableComponents(ctx context.Context, c *kube.Client, owner *unstructured.Unstructured,
	names ...string) (step.Change, error) {
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"resourceVersion": owner.GetResourceVersion()},
		"spec":     map[string]any{"overrides": map[string]any{"components": componentsOf(owner).with(names...)}},
	})
	if err != nil {
		return "", fmt.Errorf("%s: %w", describeOwner(owner), err)
	}
	return prereq.MergePatch(ctx, c, owner, string(patch))
}

// describeOwner returns the name of the hub or the engine. Only a hub has a namespace.
func describeOwner(owner *unstructured.Unstructured) string {
	if owner.GetNamespace() != "" {
		return "MultiClusterHub " + kube.Name(owner)
	}
	return "MultiClusterEngine " + owner.GetName()
}
