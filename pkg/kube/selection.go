package kube

import (
	"context"

	"k8s.io/apimachinery/pkg/labels"
)

// Selection is what a list or a watch is about.
type Selection struct {
	Kind Kind
	// Namespace is empty for all namespaces, and for kinds that have none.
	Namespace string
	// Name is that of a single object; empty means all that Labels choose.
	Name string
	// Labels choose objects; nil chooses all.
	Labels labels.Selector
}

// Changes begins to follow the objects of a selection for one step's Watch. They are new at first, each of them. The
// Watch's Changed receives when there is something to Take.
func (c *Client) Changes(w *Watch, s Selection) *Changes {
	key := feedKey{server: c.server, resource: s.Kind.Resource(), namespace: s.Namespace, name: s.Name, list: s.Name == "", bare: true}
	if s.Labels != nil {
		key.labels = s.Labels.String()
	}
	return w.changes(key)
}

// NewMirror returns a Mirror, for reads of this client and of any other, that lives until ctx ends or Close is called.
func (*Client) NewMirror(ctx context.Context) *Mirror { return newMirror(ctx) }
