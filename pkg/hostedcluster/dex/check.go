package dex

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/hcctl/hcctl/internal/suggest"
)

// Error is a problem of a configuration file. It never contains the value of a secret field.
type Error struct {
	// Line is the line in the file, counted from 1.
	Line int
	// Field is the path of the field, such as "connectors[0].config.host"; empty if the whole file is wrong.
	Field string
	// Detail is what is wrong and what would be right.
	Detail string
}

// Error returns the line, the field and the detail.
func (e *Error) Error() string {
	switch {
	case e.Line == 0:
		return e.Detail
	case e.Field == "":
		return fmt.Sprintf("line %d: %s", e.Line, e.Detail)
	}
	return fmt.Sprintf("line %d: %s: %s", e.Line, e.Field, e.Detail)
}

func invalid(at *yaml.Node, path, format string, args ...any) error {
	return &Error{Line: at.Line, Field: path, Detail: fmt.Sprintf(format, args...)}
}

// podFiles are fields with the names of files in Dex's pod. podVariables are fields with the names of its environment
// variables.
var (
	podFiles = []string{"kubeConfigFile", "caFile", "keyFile", "certFile", "tlsCert", "tlsKey", "tlsClientCA",
		"serviceAccountFilePath", "rootCA", "clientCert", "clientKey", "keytabPath", "clientAssertion", "ca"}
	podVariables = []string{"idEnv", "secretEnv", "hashFromEnv"}
	// userKeys are objects whose keys are chosen by the user.
	userKeys = []string{"frontend.extra", "web.headers"}
)

// checkNode rejects everything in the file that Dex would read differently, or that refers to Dex's pod.
func checkNode(n *yaml.Node, path string) error {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		return invalid(n, path, "anchors and aliases are not taken: write the value out")
	}
	switch n.Kind {
	case yaml.SequenceNode:
		for i, item := range n.Content {
			if err := checkNode(item, fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	case yaml.MappingNode:
		seen := map[string]int{}
		for i := 0; i < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			at := join(path, key.Value)
			first, duplicate := seen[key.Value]
			switch {
			case key.ShortTag() != "!!str":
				return invalid(key, at, "the name of a field must be a text: put it in quotes")
			case duplicate:
				return invalid(key, at, "stands here twice, first in line %d", first)
			case slices.Contains(podFiles, key.Value) && value.Kind == yaml.ScalarNode && value.Value != "":
				return invalid(value, at, "names a file in Dex's pod, where there is none of yours: write its content into a "+
					"field such as rootCAData, or leave it out")
			case slices.Contains(podVariables, key.Value):
				return invalid(value, at, "names a variable of Dex's environment, where there is none of yours: write the value "+
					"itself")
			}
			suggestion := suggest.Typo(key.Value, strings.Fields(fieldNames))
			if suggestion != "" && !slices.Contains(userKeys, path) {
				return invalid(key, at, "is no field that hcctl knows of Dex, which may ignore it; is %s meant?", suggestion)
			}
			seen[key.Value] = key.Line
			if err := checkNode(value, at); err != nil {
				return err
			}
		}
	default:
		if tag := n.ShortTag(); !slices.Contains([]string{"!!str", "!!int", "!!float", "!!bool", "!!null"}, tag) {
			return invalid(n, path, "must be a text: put it in quotes")
		}
	}
	return nil
}

// checkShapes checks the types of the objects and lists that the other checks and Render read.
func checkShapes(root *yaml.Node) error {
	if root.Kind != yaml.MappingNode {
		return invalid(root, "", "must have fields of its own, as NAME: VALUE")
	}
	for _, name := range []string{"storage", "web"} {
		if v := get(root, name); v != nil && !isNull(v) && v.Kind != yaml.MappingNode {
			return invalid(v, name, "must have fields of its own, as NAME: VALUE")
		}
	}
	for _, name := range []string{"connectors", "staticClients", "staticPasswords"} {
		v := get(root, name)
		if v == nil || isNull(v) {
			continue
		}
		if v.Kind != yaml.SequenceNode {
			return invalid(v, name, "must be a list")
		}
		for i, item := range v.Content {
			if item.Kind != yaml.MappingNode {
				return invalid(item, fmt.Sprintf("%s[%d]", name, i), "must have fields of its own, as NAME: VALUE")
			}
		}
	}
	return nil
}

// requiredText returns the text of a field that Dex requires.
func requiredText(n *yaml.Node, path, name string) (string, error) {
	v := get(n, name)
	switch {
	case v == nil || !hasValue(n, name):
		return "", invalid(n, join(path, name), "is missing, and Dex needs it")
	case v.Kind != yaml.ScalarNode || v.ShortTag() != "!!str":
		return "", invalid(v, join(path, name), "must be a text: put it in quotes")
	}
	return v.Value, nil
}

// checkWeb rejects the fields that hcctl writes.
func checkWeb(root *yaml.Node) error {
	web := get(root, "web")
	for _, name := range []string{"http", "https", "tlsCert", "tlsKey"} {
		if v := get(web, name); v != nil {
			return invalid(v, "web."+name, "hcctl writes it, for TLS with the certificate of Dex's Secret: leave it out")
		}
	}
	return nil
}

func checkStorage(root *yaml.Node) error {
	storage := get(root, "storage")
	if storage == nil || isNull(storage) {
		return invalid(root, "storage", "is missing, and Dex needs it")
	}
	kind, err := requiredText(storage, "storage", "type")
	if err != nil {
		return err
	}
	for name, lacks := range map[string]string{"sqlite3": "a volume", "kubernetes": "rights in the management cluster"} {
		if kind == name {
			return invalid(get(storage, "type"), "storage.type", "%s needs %s, and Dex's pod has none: use memory, or a "+
				"database server", name, lacks)
		}
	}
	return nil
}

// connectorTypes lists the connector types of contracts/dex.yaml.
var connectorTypes = []string{"keystone", "mockCallback", "mockPassword", "ldap", "gitea", "github", "gitlab", "google",
	"oidc", "oauth", "saml", "authproxy", "linkedin", "microsoft", "bitbucket-cloud", "openshift", "atlassian-crowd",
	"samlExperimental"}

// checkConnectors requires a way to log in: without a connector or passwords Dex exits immediately (server/server.go).
// The provider redirects a browser to Dex after a login, so the redirectURI of a connector must be below the issuer.
func checkConnectors(root *yaml.Node) error {
	connectors := items(root, "connectors")
	if len(connectors) == 0 && !enabled(root, "enablePasswordDB") {
		return invalid(root, "connectors", "there is no way to log in: give a connector, or enablePasswordDB: true with "+
			"staticPasswords")
	}
	issuer := strings.TrimSuffix(get(root, "issuer").Value, "/") + "/"
	for i, c := range connectors {
		path := fmt.Sprintf("connectors[%d]", i)
		for _, name := range []string{"type", "id", "name"} {
			if _, err := requiredText(c, path, name); err != nil {
				return err
			}
		}
		config, kind := get(c, "config"), get(c, "type")
		redirect := get(config, "redirectURI")
		switch {
		case !slices.Contains(connectorTypes, kind.Value):
			detail := fmt.Sprintf("%q is none of %s", truncate(kind.Value), strings.Join(connectorTypes, ", "))
			if suggestion := suggest.Words(kind.Value, connectorTypes); len(suggestion) > 0 {
				detail += "; is " + strings.Join(suggestion, " or ") + " meant?"
			}
			return invalid(kind, path+".type", "%s", detail)
		case kind.Value != "mockCallback" && !hasValue(c, "config"):
			return invalid(c, path+".config", "is missing, and Dex's %s needs it", kind.Value)
		case redirect != nil && !strings.HasPrefix(redirect.Value, issuer):
			return invalid(redirect, path+".config.redirectURI", "must be Dex's own %scallback, below the issuer: that is "+
				"where the provider sends a browser back", issuer)
		}
	}
	return unique(connectors, "connectors", "id")
}

// unique checks that all items have different values in a field.
func unique(list []*yaml.Node, where, name string) error {
	seen := map[string]int{}
	for i, item := range list {
		v := get(item, name)
		if v == nil {
			continue
		}
		if first, duplicate := seen[v.Value]; duplicate {
			return invalid(v, fmt.Sprintf("%s[%d].%s", where, i, name), "is that of %s[%d] as well", where, first)
		}
		seen[v.Value] = i
	}
	return nil
}

func checkClients(root *yaml.Node) error {
	clients := items(root, "staticClients")
	for i, c := range clients {
		path := fmt.Sprintf("staticClients[%d]", i)
		for _, name := range []string{"id", "name"} {
			if _, err := requiredText(c, path, name); err != nil {
				return err
			}
		}
		if id := get(c, "id"); slices.Contains(OwnClients(), id.Value) {
			return invalid(id, path+".id", "%s is the client that hcctl adds: choose another", id.Value)
		}
		if !hasValue(c, "secret") && !enabled(c, "public") {
			return invalid(c, path+".secret", "is missing: a client has a secret or is public")
		}
		if uris := get(c, "redirectURIs"); uris != nil && uris.Kind != yaml.SequenceNode {
			return invalid(uris, path+".redirectURIs", "must be a list of URLs")
		}
		for j, uri := range items(c, "redirectURIs") {
			u, err := url.Parse(uri.Value)
			if uri.Kind != yaml.ScalarNode || err != nil || u.Fragment != "" || !u.IsAbs() && uri.Value != "/device/callback" {
				return invalid(uri, fmt.Sprintf("%s.redirectURIs[%d]", path, j), "must be a URL such as "+
					"https://app.example.com/callback")
			}
		}
	}
	return unique(clients, "staticClients", "id")
}

func checkPasswords(root *yaml.Node) error {
	passwords := items(root, "staticPasswords")
	if len(passwords) > 0 && !enabled(root, "enablePasswordDB") {
		return invalid(passwords[0], "staticPasswords", "only with enablePasswordDB: true")
	}
	for i, p := range passwords {
		path := fmt.Sprintf("staticPasswords[%d]", i)
		if _, err := requiredText(p, path, "email"); err != nil {
			return err
		}
		if !hasValue(p, "hash") {
			return invalid(p, path+".hash", "is missing: the bcrypt hash of the password, as htpasswd -BinC 10 makes it")
		}
		hash := get(p, "hash")
		plain, err := base64.StdEncoding.DecodeString(hash.Value)
		if !bcryptHash.Get().MatchString(hash.Value) && (err != nil || !bcryptHash.Get().Match(plain)) {
			return invalid(hash, path+".hash", "is no bcrypt hash, as htpasswd -BinC 10 makes it")
		}
	}
	return unique(passwords, "staticPasswords", "email")
}

// truncate returns a value for a message, with at most 60 bytes.
func truncate(s string) string {
	const maxLength = 60
	if len(s) > maxLength {
		return s[:maxLength] + "..."
	}
	return s
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// get returns the value of a field of an object; nil if it has none.
func get(n *yaml.Node, name string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}

// items returns the items of a list in a field of an object.
func items(n *yaml.Node, name string) []*yaml.Node {
	if v := get(n, name); v != nil && v.Kind == yaml.SequenceNode {
		return v.Content
	}
	return nil
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// enabled reports whether a field is true.
func enabled(n *yaml.Node, name string) bool {
	v := get(n, name)
	return v != nil && v.ShortTag() == "!!bool" && v.Value == "true"
}

// hasValue reports whether a field has a value that is neither null nor empty.
func hasValue(n *yaml.Node, name string) bool {
	v := get(n, name)
	return v != nil && !isNull(v) && (v.Kind != yaml.ScalarNode || v.Value != "")
}
