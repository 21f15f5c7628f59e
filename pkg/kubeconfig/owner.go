package kubeconfig

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/sanitize"
)

// ownerOf returns the owner of a cluster, user or context; false if it has none.
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

// setOwner sets the owner of a cluster, user or context.
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

// ForeignError means that an entry with this name does not belong to the hosted cluster. hcctl does not change it.
type ForeignError struct {
	// Kind is "cluster", "context" or "user"; Name is the name of the entry.
	Kind, Name string
	// Whose describes the owner, if known.
	Whose string
	// HostedCluster is the cluster to merge, as "namespace/name".
	HostedCluster string
}

// Error returns a message with the entry and its owner.
func (e *ForeignError) Error() string {
	return fmt.Sprintf("there is a %s %q already that is not of hosted cluster %s: %s", e.Kind, e.Name, e.HostedCluster,
		e.Whose)
}

// Hint returns how to merge nevertheless.
func (e *ForeignError) Hint() hint.Text {
	return hint.New("choose another name with %s, or remove it first: oc config delete-%s %s", hint.Flag("context-name"),
		e.Kind, sanitize.Word(e.Name))
}

// foreignError returns the ForeignError for an entry.
func (d *document) foreignError(k kind, item *yaml.Node, owner Owner) error {
	e := &ForeignError{Kind: k.word, Name: nameOf(item), HostedCluster: owner.HostedCluster}
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
