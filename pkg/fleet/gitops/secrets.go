package gitops

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hcctl/hcctl/internal/hint"
)

// secretKey returns the key in a Secret of a hosted cluster, by the suffix of its name. HyperShift reads no
// other key.
func secretKey(name string) (key, what string) {
	switch {
	case strings.HasSuffix(name, "-pull-secret"):
		return ".dockerconfigjson", "the pull secret"
	case strings.HasSuffix(name, "-etcd-encryption-key"):
		return "key", "32 random bytes, in base64; never change them by hand"
	case strings.HasSuffix(name, "-ssh-key"):
		return "id_rsa.pub", "the public SSH key"
	}
	return "value", fmt.Sprintf("see %s", hint.Run("apply").Flag("dry-run"))
}

// externalSecrets returns templates for the External Secrets Operator, for each Secret that an environment
// needs.
func externalSecrets(e Environment) document {
	var all document
	for _, full := range distinct(e.Secrets) {
		namespace, name, _ := strings.Cut(full, "/")
		key, _ := secretKey(name)
		all = append(all, named("external-secrets.io/v1", "ExternalSecret", namespace, name, object{"spec": object{
			"refreshInterval": "1h",
			"secretStoreRef":  object{"kind": "ClusterSecretStore", "name": "fleet"},
			"target":          object{"name": name},
			"data": []object{{"secretKey": key,
				"remoteRef": object{"key": "hosted-clusters/" + full, "property": key}}},
		}}))
	}
	return all
}

func distinct(names []string) []string {
	sorted := slices.Sorted(slices.Values(names))
	return slices.Compact(sorted)
}

// secretsReadme returns which Secrets are missing, and how to create them without a secret in Git.
func secretsReadme(environments []Environment) string {
	var b strings.Builder
	b.WriteString(`# Secrets

No Secret is in this repository, and hcctl writes none to a file. These have to be there before the hosted clusters:

| environment | Secret | key | content |
| --- | --- | --- | --- |
`)
	for _, e := range environments {
		for _, full := range distinct(e.Secrets) {
			_, name, _ := strings.Cut(full, "/")
			key, what := secretKey(name)
			fmt.Fprintf(&b, "| %s | %s | `%s` | %s |\n", e.Name, full, key, what)
		}
	}
	b.WriteString(embedded(templates, "template/secrets.md"))
	return b.String()
}
