package kubeconfig

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/hcctl/hcctl/internal/sanitize"
)

// ownerOf is the owner that a cluster, user or context carries, and whether it carries one.
func ownerOf(entry *yaml.Node) (Owner, bool) {
	extensions := value(entry, "extensions")
	if extensions == nil {
		return Owner{}, false
	}
	for _, e := range extensions.Content {
		var o Owner
		if nameOf(e) == extensionName && value(e, "extension") != nil && value(e, "extension").Decode(&o) == nil &&
			o.HostedCluster != "" {
			return o, true
		}
	}
	return Owner{}, false
}

// setOwner makes o the owner of a cluster, user or context.
func setOwner(entry *yaml.Node, o Owner) {
	mark := &yaml.Node{}
	if err := mark.Encode(map[string]any{"name": extensionName, "extension": o}); err != nil {
		return // three strings can always be encoded
	}
	extensions := value(entry, "extensions")
	if extensions == nil || extensions.Kind != yaml.SequenceNode {
		extensions = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		set(entry, "extensions", extensions)
	}
	for i, e := range extensions.Content {
		if nameOf(e) == extensionName {
			extensions.Content[i] = mark
			return
		}
	}
	extensions.Content = append(extensions.Content, mark)
}

// ForeignError means a kubeconfig has an entry of the name that is not that of the hosted cluster. It is left as it is.
type ForeignError struct {
	// Kind is "cluster", "context" or "user"; Name is the entry's.
	Kind, Name string
	// Whose says whose it is, as far as that is known.
	Whose string
	// HostedCluster is "namespace/name" of the one that was to be merged.
	HostedCluster string
}

// Error names the entry and whose it is.
func (e *ForeignError) Error() string {
	return fmt.Sprintf("there is a %s %q already that is not of hosted cluster %s: %s", e.Kind, e.Name, e.HostedCluster,
		e.Whose)
}

// Hint is how to merge nevertheless.
func (e *ForeignError) Hint() string {
	return fmt.Sprintf("choose another name with --context-name, or remove it first: oc config delete-%s %s", e.Kind,
		sanitize.Word(e.Name))
}

// foreign says whose an entry is that has no owner, or another one.
func (d *document) foreign(k kind, item *yaml.Node, mine Owner) error {
	e := &ForeignError{Kind: k.word, Name: nameOf(item), HostedCluster: mine.HostedCluster}
	if o, ok := ownerOf(value(item, k.key)); ok {
		e.Whose = fmt.Sprintf("hcctl merged it for %s of the management cluster %s", o.HostedCluster, o.Management)
		return e
	}
	cluster := value(item, k.key)
	if k == contextKind {
		if c := value(cluster, "cluster"); c != nil {
			cluster = value(d.item(clusterKind, c.Value), clusterKind.key)
		}
	}
	e.Whose = "hcctl did not write it"
	if server := value(cluster, "server"); server != nil {
		e.Whose += ", and it leads to " + server.Value
	}
	return e
}
