package dex

import (
	"maps"

	"sigs.k8s.io/yaml"
)

// StrictFields is the environment variable that makes Dex reject unknown fields. Releases up to v2.45.1 do not know the
// variable and ignore such fields (pkg/featureflags/set.go).
const StrictFields = "DEX_CONFIG_DISALLOW_UNKNOWN_FIELDS"

// Client is a client to add to the file.
type Client struct {
	ID, Name string
	// Secret is empty for a public client.
	Secret string
	// RedirectURIs are the URIs to which Dex may redirect a browser after a login. A public client without any may use
	// every port of the loopback address (server/authflow/request.go, validateRedirectURI).
	RedirectURIs []string
}

// Deployment has the settings that depend on the deployment of Dex.
type Deployment struct {
	// Listen is the address of the TLS listener, such as "0.0.0.0:5556".
	Listen string
	// Cert and Key are the paths of the certificate and its key.
	Cert, Key string
	Clients   []Client
}

// Render returns the file for a deployment. The same input gives the same bytes.
func (c Config) Render(d Deployment) ([]byte, error) {
	content := maps.Clone(c.content)
	web := map[string]any{}
	if given, ok := content["web"].(map[string]any); ok {
		web = maps.Clone(given)
	}
	web["https"], web["tlsCert"], web["tlsKey"] = d.Listen, d.Cert, d.Key
	content["web"] = web
	var clients []any
	if given, ok := content["staticClients"].([]any); ok {
		clients = append(clients, given...)
	}
	for _, add := range d.Clients {
		client := map[string]any{"id": add.ID, "name": add.Name}
		if add.Secret == "" {
			client["public"] = true
		} else {
			client["secret"] = add.Secret
		}
		if len(add.RedirectURIs) > 0 {
			client["redirectURIs"] = add.RedirectURIs
		}
		clients = append(clients, client)
	}
	content["staticClients"] = clients
	return yaml.Marshal(content)
}
