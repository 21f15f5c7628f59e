package rule

import "strings"

// Place is where a rule's objects are, as far as a role can be limited to that. Empty is the whole cluster.
type Place string

// inNamespace begins the places of In.
const inNamespace = "namespace "

// In is one namespace that has this name on every management cluster.
func In(namespace string) Place { return Place(inNamespace + namespace) }

// Namespace is the namespace of In, empty for other places.
func (p Place) Namespace() string {
	namespace, ok := strings.CutPrefix(string(p), inNamespace)
	if !ok {
		return ""
	}
	return namespace
}
