package multicluster

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// The components of the engine that hosting needs.
const (
	componentLocalCluster = "local-cluster"
	componentLocalHosting = "hypershift-local-hosting"
	componentHypershift   = "hypershift"
	componentPreview      = "hypershift-preview"
)

// hypershiftName is the name of the hypershift component: a preview before 2.4, whose webhook refuses the later name.
func hypershiftName(version *semver.Version) string {
	if prereq.EngineBefore(version, 4) {
		return componentPreview
	}
	return componentHypershift
}

// onByDefault reports whether this version of the engine turns the component on by itself, so that one that is off was
// turned off by somebody (backplane-operator 2.2 to 2.11).
func onByDefault(name string) bool { return name != componentPreview }

// components is spec.overrides.components of the engine, or of Advanced Cluster Management's hub.
type components []map[string]any

func componentsOf(owner *unstructured.Unstructured) components {
	if owner == nil {
		return nil
	}
	return kube.Maps(owner, "spec", "overrides", "components")
}

// enabled tells what an entry says, and whether there is one.
func (c components) enabled(name string) (on, there bool) {
	for _, entry := range c {
		if prereq.Text(entry, "name") == name {
			on, _ = entry["enabled"].(bool)
			return on, true
		}
	}
	return false, false
}

// rivals are the places of the entries that are on and that, from 2.10 on, the webhook refuses beside hypershift: those
// of Cluster API.
func (c components) rivals() []int {
	var out []int
	for i, entry := range c {
		if on, _ := entry["enabled"].(bool); on && strings.HasPrefix(prereq.Text(entry, "name"), "cluster-api") {
			out = append(out, i)
		}
	}
	return out
}

func (c components) names(places []int) []string {
	out := make([]string, 0, len(places))
	for _, i := range places {
		out = append(out, prereq.Text(c[i], "name"))
	}
	return out
}

// disabling is the JSON patch that turns the entries off, and fails should the list have changed meanwhile.
func (c components) disabling(places []int) string {
	var ops []string
	for _, i := range places {
		ops = append(ops, fmt.Sprintf(`{"op":"test","path":"/spec/overrides/components/%d/name","value":%q},{`+
			`"op":"replace","path":"/spec/overrides/components/%d/enabled","value":false}`,
			i, prereq.Text(c[i], "name"), i))
	}
	return "[" + strings.Join(ops, ",") + "]"
}

// with returns the list with the named entries on, every other entry and every other field of an entry as it was.
func (c components) with(names ...string) components {
	out := make(components, 0, len(c)+len(names))
	for _, entry := range c {
		copied := make(map[string]any, len(entry))
		for k, v := range entry {
			copied[k] = v
		}
		for _, name := range names {
			if prereq.Text(entry, "name") == name {
				copied["enabled"] = true
			}
		}
		out = append(out, copied)
	}
	for _, name := range names {
		if _, there := c.enabled(name); !there {
			out = append(out, map[string]any{"name": name, "enabled": true})
		}
	}
	return out
}

// enableComponents turns entries on in the list of their owner. A merge patch replaces lists as a whole, so the whole
// list is written, and only if nobody has changed the owner since it was read: a lost race is a conflict, which is
// tried again.
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

// describeOwner names the hub or the engine. Only a hub is in a namespace.
func describeOwner(owner *unstructured.Unstructured) string {
	if owner.GetNamespace() != "" {
		return "MultiClusterHub " + kube.Name(owner)
	}
	return "MultiClusterEngine " + owner.GetName()
}
