package dex

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/hcctl/hcctl/internal/lazyregexp"
)

// Config is a configuration file that Dex can work with. Parse makes one. Its zero value stands for none.
type Config struct {
	content  map[string]any
	issuer   *url.URL
	storage  string
	sessions bool
}

// Given tells whether there is one.
func (c Config) Given() bool { return c.content != nil }

// Issuer is Dex's URL, as its tokens have it.
func (c Config) Issuer() string { return c.issuer.String() }

// Host is the name or the address under which clients reach Dex.
func (c Config) Host() string { return c.issuer.Hostname() }

// Path is that of the issuer; empty if it has none.
func (c Config) Path() string { return strings.TrimSuffix(c.issuer.Path, "/") }

// Port is where clients reach Dex: the issuer's, 443 if it names none.
func (c Config) Port() int32 {
	port, err := strconv.ParseUint(c.issuer.Port(), 10, 16)
	if err != nil {
		return 443
	}
	return int32(port)
}

// Storage is its type, such as "memory".
func (c Config) Storage() string { return c.storage }

// NeedsSessions tells whether it says something of sessions or of a second factor, for which Dex needs
// DEX_SESSIONS_ENABLED=true (cmd/dex/config.go, Config.Validate).
func (c Config) NeedsSessions() bool { return c.sessions }

// OwnClients are the IDs of the clients that hcctl adds: those of the web console and of command lines.
func OwnClients() []string { return []string{ConsoleClient, CLIClient} }

// The clients that hcctl adds to the file.
const (
	// ConsoleClient is the client of the web console, or of the hosted cluster's OAuth server. It has a secret.
	ConsoleClient = "openshift-console"
	// CLIClient is the client of oc and kubectl. It is public.
	CLIClient = "openshift-cli"
)

// mostBytes bounds the file: a Secret takes 1 MiB.
const mostBytes = 512 << 10

var (
	lineOf = regexp.MustCompile(`line (\d+)`)
	// bcryptHash is what bcrypt.Cost of golang.org/x/crypto takes, with which Dex checks it.
	bcryptHash = lazyregexp.New(`^\$2[abxy]?\$(0[4-9]|[12][0-9]|3[01])\$[./A-Za-z0-9]{53}$`)
)

// Parse reads a configuration file and checks every field. Fields that hcctl writes itself, Dex's listening address and
// certificate, are refused. The error is an *Error.
func Parse(content []byte) (Config, error) {
	if len(content) > mostBytes {
		return Config{}, &Error{Detail: fmt.Sprintf("has %d bytes, at most %d are taken", len(content), mostBytes)}
	}
	root, err := document(content)
	if err != nil {
		return Config{}, err
	}
	if err := checkObject(root, "", "", ""); err != nil {
		return Config{}, err
	}
	c := Config{storage: get(get(root, "storage"), "type").Value,
		sessions: has(root, "sessions") || has(root, "mfa")}
	for _, check := range []func(*yaml.Node) error{checkWeb, checkStorage, checkConnectors, checkClients, checkPasswords} {
		if err := check(root); err != nil {
			return Config{}, err
		}
	}
	if c.issuer, err = parseIssuer(get(root, "issuer")); err != nil {
		return Config{}, err
	}
	if err := root.Decode(&c.content); err != nil {
		return Config{}, &Error{Detail: "is no YAML that Dex can read"}
	}
	return c, nil
}

// document is the one document of the file. The decoder's own messages may quote values, so that only its line is told.
func document(content []byte) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	var root, more yaml.Node
	err := decoder.Decode(&root)
	switch {
	case errors.Is(err, io.EOF) || err == nil && len(root.Content) == 0:
		return nil, &Error{Detail: "is empty"}
	case err != nil:
		e := &Error{Detail: "is no YAML"}
		if found := lineOf.FindStringSubmatch(err.Error()); found != nil {
			e.Line, _ = strconv.Atoi(found[1]) // the pattern has digits only
		}
		return nil, e
	}
	if err := decoder.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, &Error{Detail: "has more than one document; Dex reads the first only"}
	}
	return root.Content[0], nil
}

func parseIssuer(n *yaml.Node) (*url.URL, error) {
	u, err := ParseIssuer(n.Value)
	if err != nil {
		return nil, wrong(n, "issuer", "%v", err)
	}
	if port := u.Port(); port != "" {
		if p, err := strconv.ParseUint(port, 10, 16); err != nil || p == 0 {
			return nil, wrong(n, "issuer", "its port is none between 1 and 65535")
		}
	}
	return u, nil
}

// ParseIssuer reads the URL of an OpenID Connect provider, as kube-apiserver takes it: https, and neither user, query
// nor fragment.
func ParseIssuer(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Hostname() == "":
		return nil, errors.New("must be a URL such as https://dex.example.com/dex")
	case u.Scheme != "https":
		return nil, errors.New("must begin with https://: the API server takes no other issuer")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return nil, errors.New("must have neither a user nor a query nor a fragment")
	}
	return u, nil
}

// checkWeb refuses what hcctl writes.
func checkWeb(root *yaml.Node) error {
	web := get(root, "web")
	for _, name := range []string{"http", "https", "tlsCert", "tlsKey"} {
		if v := get(web, name); v != nil {
			return wrong(v, "web."+name, "hcctl writes it, for TLS with the certificate of Dex's Secret: leave it out")
		}
	}
	return nil
}

func checkStorage(root *yaml.Node) error {
	storage := get(root, "storage")
	kind := get(storage, "type")
	switch kind.Value {
	case "sqlite3":
		return wrong(kind, "storage.type", "sqlite3 needs a volume, and Dex's pod has none: use memory, or a database "+
			"server")
	case "kubernetes":
		return wrong(kind, "storage.type", "kubernetes needs rights in the management cluster, and Dex's pod has none: use "+
			"memory, or a database server")
	case "etcd", "postgres", "mysql":
		if !has(storage, "config") {
			return wrong(kind, "storage.config", "is missing: Dex has to know where its storage is")
		}
	}
	return nil
}

// checkConnectors asks for a way to log in: without a connector or passwords Dex ends at once (server/server.go).
func checkConnectors(root *yaml.Node) error {
	connectors := items(root, "connectors")
	if len(connectors) == 0 && !enabled(root, "enablePasswordDB") {
		return wrong(root, "connectors", "there is no way to log in: give a connector, or enablePasswordDB: true with "+
			"staticPasswords")
	}
	for i, c := range connectors {
		kind := get(c, "type").Value
		if kind != "mockCallback" && !has(c, "config") {
			return wrong(c, fmt.Sprintf("connectors[%d].config", i), "is missing, and Dex's %s needs it", kind)
		}
	}
	return unique(connectors, "connectors", "id")
}

// unique asks for different values of a field.
func unique(list []*yaml.Node, where, name string) error {
	seen := map[string]int{}
	for i, item := range list {
		v := get(item, name)
		if v == nil {
			continue
		}
		if first, twice := seen[v.Value]; twice {
			return wrong(v, fmt.Sprintf("%s[%d].%s", where, i, name), "is that of %s[%d] as well", where, first)
		}
		seen[v.Value] = i
	}
	return nil
}

func checkClients(root *yaml.Node) error {
	clients := items(root, "staticClients")
	for i, c := range clients {
		path := fmt.Sprintf("staticClients[%d].", i)
		id := get(c, "id")
		switch {
		case id == nil || id.Value == "":
			return wrong(c, path+"id", "is missing, and Dex needs it")
		case slices.Contains(OwnClients(), id.Value):
			return wrong(id, path+"id", "%s is the client that hcctl adds: choose another", id.Value)
		case !has(c, "secret") && !enabled(c, "public"):
			return wrong(c, path+"secret", "is missing: a client has a secret or is public")
		}
	}
	return unique(clients, "staticClients", "id")
}

func checkPasswords(root *yaml.Node) error {
	passwords := items(root, "staticPasswords")
	if len(passwords) > 0 && !enabled(root, "enablePasswordDB") {
		return wrong(passwords[0], "staticPasswords", "only with enablePasswordDB: true")
	}
	for i, p := range passwords {
		path := fmt.Sprintf("staticPasswords[%d].hash", i)
		hash := get(p, "hash")
		if hash == nil || hash.Value == "" {
			return wrong(p, path, "is missing: the bcrypt hash of the password, as htpasswd -BinC 10 makes it")
		}
		plain, err := base64.StdEncoding.DecodeString(hash.Value)
		if !bcryptHash().MatchString(hash.Value) && (err != nil || !bcryptHash().Match(plain)) {
			return wrong(hash, path, "is no bcrypt hash, as htpasswd -BinC 10 makes it")
		}
	}
	return unique(passwords, "staticPasswords", "email")
}

// enabled tells whether a field is true.
func enabled(n *yaml.Node, name string) bool {
	v := get(n, name)
	return v != nil && v.Value == "true"
}

// has tells whether a field has a value.
func has(n *yaml.Node, name string) bool {
	v := get(n, name)
	return v != nil && !null(v) && (v.Kind != yaml.ScalarNode || v.Value != "")
}
