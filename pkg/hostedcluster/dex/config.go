package dex

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/hcctl/hcctl/internal/document"
	"github.com/hcctl/hcctl/internal/lazyregexp"
)

// Config is a checked configuration file of Dex, as Parse returns it. The zero value means that there is none.
type Config struct {
	content  map[string]any
	issuer   *url.URL
	storage  string
	sessions bool
}

// Given reports whether there is a file.
func (c Config) Given() bool { return c.content != nil }

// Issuer returns Dex's URL as in its tokens.
func (c Config) Issuer() string { return c.issuer.String() }

// Host returns the host name or IP address of Dex.
func (c Config) Host() string { return c.issuer.Hostname() }

// Path returns the path of the issuer; empty if it has none.
func (c Config) Path() string { return strings.TrimSuffix(c.issuer.Path, "/") }

// Port returns the port of the issuer, by default 443.
func (c Config) Port() int32 {
	port, err := strconv.ParseUint(c.issuer.Port(), 10, 16)
	if err != nil {
		return 443
	}
	return int32(port)
}

// Storage returns the type of the storage, such as "memory".
func (c Config) Storage() string { return c.storage }

// NeedsSessions reports whether the file configures sessions or a second factor. Dex needs DEX_SESSIONS_ENABLED=true
// for them (cmd/dex/config.go, Config.Validate).
func (c Config) NeedsSessions() bool { return c.sessions }

// OwnClients returns the IDs of the clients that hcctl adds: for the web console and for command lines.
func OwnClients() []string { return []string{ConsoleClient, CLIClient} }

// The clients that hcctl adds to the file.
const (
	// ConsoleClient is the client of the web console, or of the hosted cluster's OAuth server. It has a secret.
	ConsoleClient = "openshift-console"
	// CLIClient is the client of oc and kubectl. It is public.
	CLIClient = "openshift-cli"
)

// maxBytes limits the size of the file, because a Secret holds at most 1 MiB.
const maxBytes = 512 << 10

var (
	// bcryptHash matches the hashes that bcrypt.Cost of golang.org/x/crypto accepts, with which Dex checks them.
	bcryptHash = lazyregexp.New(`^\$2[abxy]?\$(0[4-9]|[12][0-9]|3[01])\$[./A-Za-z0-9]{53}$`)
)

// Parse parses a configuration file and checks what hcctl and a login depend on; Dex checks the rest. It rejects fields
// that hcctl writes itself, Dex's listening address and certificate. The error is an *Error.
func Parse(content []byte) (Config, error) {
	if len(content) > maxBytes {
		return Config{}, &Error{Detail: fmt.Sprintf("has %d bytes, at most %d are taken", len(content), maxBytes)}
	}
	root, err := rootOf(content)
	if err != nil {
		return Config{}, err
	}
	var c Config
	for _, check := range []func(*yaml.Node) error{checkShapes, checkWeb,
		func(root *yaml.Node) error { return checkNode(root, "") },
		func(root *yaml.Node) (err error) { c.issuer, err = parseIssuer(root); return err },
		checkStorage, checkConnectors, checkClients, checkPasswords} {
		if err := check(root); err != nil {
			return Config{}, err
		}
	}
	c.storage, c.sessions = get(get(root, "storage"), "type").Value, hasValue(root, "sessions") || hasValue(root, "mfa")
	if err := root.Decode(&c.content); err != nil {
		return Config{}, &Error{Detail: "is no YAML that Dex can read"}
	}
	if _, err := c.Render(Deployment{}); err != nil {
		return Config{}, &Error{Detail: "has a value that JSON does not have, such as .inf"}
	}
	return c, nil
}

// rootOf returns the root node of the file's only document.
func rootOf(content []byte) (*yaml.Node, error) {
	roots, err := document.Trees(content)
	var docErr *document.Error
	switch {
	case errors.Is(err, document.ErrEmpty):
		return nil, &Error{Detail: "is empty"}
	case errors.As(err, &docErr):
		return nil, &Error{Line: docErr.Line, Detail: "is " + docErr.Message}
	case err != nil:
		return nil, err
	case len(roots) > 1:
		return nil, &Error{Line: roots[1].Line, Detail: "has more than one document; Dex reads the first only"}
	}
	return roots[0], nil
}

func parseIssuer(root *yaml.Node) (*url.URL, error) {
	text, err := requiredText(root, "", "issuer")
	if err != nil {
		return nil, err
	}
	n := get(root, "issuer")
	u, err := ParseIssuer(text)
	if err != nil {
		return nil, invalid(n, "issuer", "%v", err)
	}
	if port := u.Port(); port != "" {
		if p, err := strconv.ParseUint(port, 10, 16); err != nil || p == 0 {
			return nil, invalid(n, "issuer", "its port is none between 1 and 65535")
		}
	}
	return u, nil
}

// ParseIssuer parses the URL of an OpenID Connect provider by the rules of kube-apiserver: https, without user, query
// and fragment.
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
