package redact

import (
	"fmt"
	"slices"
	"strings"
)

// secretEnds has the endings of names of secret fields, variables, flags and keys. Names that end in "file", "path",
// "name" or "ref" only point to a secret.
var secretEnds = []string{
	"password", "passwd", "passphrase", "pwd", "token", "secret", "secretkey", "privatekey", "accesskey", "accesskeyid",
	"apikey", "authkey",
	"signingkey", "encryptionkey", "clientkey", "clientkeydata", "keydata", "dockerconfigjson", "dockerconfig",
	"dockercfg", "credential", "credentials",
	"authorization", "bearer", "htpasswd", "kubeconfig", "userdata", "userdatabase64", "networkdata", "networkdatabase64",
	"auth", "psk", "joinconfig",
}

// separators removes the separators of a name: apiKey, api-key and API_KEY are the same.
var separators = strings.NewReplacer("-", "", "_", "", ".", "", " ", "", "/", "")

// secretName reports whether a field, variable, flag or key of this name holds a secret.
func secretName(name string) bool {
	name = strings.ToLower(separators.Replace(name))
	one := strings.TrimSuffix(name, "s")
	return slices.ContainsFunc(secretEnds, func(end string) bool {
		return strings.HasSuffix(name, end) || strings.HasSuffix(one, end)
	})
}

// placeholder replaces a secret of this size.
func placeholder(bytes int) string { return fmt.Sprintf("<redacted: %d bytes>", bytes) }
