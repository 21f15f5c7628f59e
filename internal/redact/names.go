package redact

import (
	"fmt"
	"strings"
)

// secretEnds are how names of fields, variables, flags and keys end that hold a secret itself. What ends in "file",
// "path", "name" or "ref" only says where one is.
var secretEnds = []string{
	"password", "passwd", "passphrase", "pwd", "token", "secret", "secretkey", "privatekey", "accesskey", "accesskeyid",
	"apikey", "authkey",
	"signingkey", "encryptionkey", "clientkey", "clientkeydata", "keydata", "dockerconfigjson", "dockerconfig",
	"dockercfg", "credential", "credentials",
	"authorization", "bearer", "htpasswd", "kubeconfig", "userdata", "userdatabase64", "networkdata", "networkdatabase64",
	"auth", "psk", "joinconfig",
}

// normal is a name without the signs that join its words: apiKey, api-key and API_KEY are one.
var normal = strings.NewReplacer("-", "", "_", "", ".", "", " ", "", "/", "")

// secretName tells by its name that a field, variable, flag or key holds a secret, or several.
func secretName(name string) bool {
	name = strings.ToLower(normal.Replace(name))
	one := strings.TrimSuffix(name, "s")
	for _, end := range secretEnds {
		if strings.HasSuffix(name, end) || strings.HasSuffix(one, end) {
			return true
		}
	}
	return false
}

// placeholder stands for a secret of so many bytes. It tells nothing else of it.
func placeholder(bytes int) string { return fmt.Sprintf("<redacted: %d bytes>", bytes) }
