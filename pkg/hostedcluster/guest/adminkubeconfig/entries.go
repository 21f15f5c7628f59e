package adminkubeconfig

import (
	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/lazyregexp"
)

// The paths of the three entries.
const (
	clusterField = "clusters[0].cluster"
	userField    = "users[0].user"
	contextField = "contexts[0].context"
)

// entryName matches the names of entries: "cluster" and "admin" in HyperShift's kubeconfig, "system:admin" or
// "admin@lab" in others.
var entryName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,252}$`)

// entry returns the name and content of the only entry of a list.
func entry(list, key string, n *yaml.Node) (string, *yaml.Node, error) {
	switch {
	case n == nil:
		return "", nil, refuse(list, "it is missing")
	case n.Kind != yaml.SequenceNode:
		return "", nil, refuse(list, "it is not a list")
	case len(n.Content) != 1:
		return "", nil, refuse(list, "it has %d entries, and that of a hosted cluster has one", len(n.Content))
	}
	fields, err := parseMapping(list+"[0]", n.Content[0], "name", key)
	if err != nil {
		return "", nil, err
	}
	name, err := parseName(list+"[0].name", fields["name"])
	return name, fields[key], err
}

// parseName returns the name of an entry.
func parseName(path string, n *yaml.Node) (string, error) {
	name, err := parseString(path, n)
	if err == nil && !entryName.MatchString(name) {
		return "", refuse(path, "it is not a name: use up to 253 letters, digits and . _ : / @ -")
	}
	return name, err
}

func (a *Access) readCluster(top map[string]*yaml.Node) error {
	name, content, err := entry("clusters", "cluster", top["clusters"])
	if err != nil {
		return err
	}
	fields, err := parseMapping(clusterField, content, "server", "certificate-authority-data")
	if err != nil {
		return err
	}
	a.names.cluster = name
	if a.host, err = server(clusterField+".server", fields["server"]); err != nil {
		return err
	}
	path := clusterField + ".certificate-authority-data"
	data, err := decodeBase64(path, fields["certificate-authority-data"], maxBytes)
	if err != nil {
		return err
	}
	a.ca, err = certificates(path, data)
	return err
}

func (a *Access) readUser(top map[string]*yaml.Node) error {
	name, content, err := entry("users", "user", top["users"])
	if err != nil {
		return err
	}
	fields, err := parseMapping(userField, content, "client-certificate-data", "client-key-data", "token")
	if err != nil {
		return err
	}
	a.names.user = name
	switch certified := fields["client-certificate-data"] != nil || fields["client-key-data"] != nil; {
	case certified && fields["token"] != nil:
		return refuse(userField+".token", "there is a client certificate besides")
	case certified:
		a.certificate, a.key, err = keyPair(fields["client-certificate-data"], fields["client-key-data"])
	default:
		a.token, err = token(userField+".token", fields["token"])
	}
	return err
}

func (a *Access) readContext(top map[string]*yaml.Node) error {
	name, content, err := entry("contexts", "context", top["contexts"])
	if err != nil {
		return err
	}
	fields, err := parseMapping(contextField, content, "cluster", "user", "namespace")
	if err != nil {
		return err
	}
	a.names.context = name
	for _, same := range []struct {
		path string
		n    *yaml.Node
		name string
	}{
		{contextField + ".cluster", fields["cluster"], a.names.cluster},
		{contextField + ".user", fields["user"], a.names.user},
		{"current-context", top["current-context"], a.names.context},
	} {
		if got, err := parseString(same.path, same.n); err != nil {
			return err
		} else if got != same.name {
			return refuse(same.path, "it is not the name of the entry that is there")
		}
	}
	if fields["namespace"] == nil {
		return nil
	}
	if a.names.namespace, err = parseString(contextField+".namespace", fields["namespace"]); err != nil {
		return err
	}
	if len(validation.IsDNS1123Label(a.names.namespace)) > 0 {
		return refuse(contextField+".namespace", "it is not the name of a namespace")
	}
	return nil
}

// keepCurrent removes all contexts but the current one, and all clusters and users but those that it names.
func keepCurrent(top map[string]*yaml.Node) error {
	name, err := parseString("current-context", top["current-context"])
	if err != nil {
		return err
	}
	if err := keepNamed(top, "contexts", name); err != nil {
		return err
	}
	_, content, err := entry("contexts", "context", top["contexts"])
	if err != nil {
		return err
	}
	fields, err := parseMapping(contextField, content, "cluster", "user", "namespace")
	if err != nil {
		return err
	}
	for _, of := range []struct{ list, field string }{{"clusters", "cluster"}, {"users", "user"}} {
		if name, err = parseString(contextField+"."+of.field, fields[of.field]); err != nil {
			return err
		}
		if err := keepNamed(top, of.list, name); err != nil {
			return err
		}
	}
	return nil
}

// keepNamed removes all entries of a list but the one with this name.
func keepNamed(top map[string]*yaml.Node, list, name string) error {
	n := top[list]
	if n == nil || n.Kind != yaml.SequenceNode {
		return refuse(list, "it is missing, or not a list")
	}
	var found []*yaml.Node
	for _, one := range n.Content {
		if one.Kind != yaml.MappingNode {
			return refuse(list, "it has an entry that is not a mapping")
		}
		for i := 0; i+1 < len(one.Content); i += 2 {
			if one.Content[i].Value == "name" && one.Content[i+1].Value == name {
				found = append(found, one)
			}
		}
	}
	if len(found) != 1 {
		return refuse(list, "%d of its entries have the name that counts, and one has to", len(found))
	}
	top[list] = &yaml.Node{Kind: yaml.SequenceNode, Content: found}
	return nil
}
