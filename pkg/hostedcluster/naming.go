package hostedcluster

import (
	"crypto/rand"
	"strings"
)

const (
	// InfraLabel marks everything made for one hosted cluster; the vendor's CLI selects by it when it deletes Secrets.
	InfraLabel = "hypershift.openshift.io/auto-created-for-infra"
	// safeToDeleteLabel tells the operator that a Secret goes with its cluster.
	safeToDeleteLabel = "hypershift.openshift.io/safe-to-delete-with-cluster"
	// longestInfraName and infraSuffix keep an infraID within the 27 characters the vendor's CLI allows.
	longestInfraName = 21
	infraSuffix      = 5
)

func dashed(name string) string { return strings.ReplaceAll(name, ".", "-") }

// newInfraID makes an infraID as the vendor's CLI does: the name, cut short, and five random letters or digits.
func newInfraID(name string) string {
	if len(name) > longestInfraName {
		name = strings.TrimRight(name[:longestInfraName], "-")
	}
	return name + "-" + strings.ToLower(rand.Text())[:infraSuffix]
}

// newEncryptionKey makes the key that etcd's Secrets are encrypted with: 32 random bytes, as aescbc asks for.
func newEncryptionKey() []byte {
	key := make([]byte, encryptionKeyLength)
	_, _ = rand.Read(key) // crypto/rand never fails: it ends the program instead
	return key
}
