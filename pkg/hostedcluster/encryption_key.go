package hostedcluster

import (
	"context"
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// EncryptionKey returns the name of the Secret with the AES-CBC key for new data in the hosted cluster's etcd. It is
// empty if etcd is not encrypted with AES-CBC.
func EncryptionKey(hc *hyperv1.HostedCluster) string {
	if e := hc.Spec.SecretEncryption; e != nil && e.AESCBC != nil {
		return e.AESCBC.ActiveKey.Name
	}
	return ""
}

// Encryption names the keys of the data in etcd, from the HostedCluster's status.secretEncryption. HyperShift 4.22 and
// later report it; the fields are empty if it is not known. The Go module of its API lacks the field.
type Encryption struct {
	// Active is the Secret with the AES-CBC key that all data is encrypted with. Target is the Secret with the key for the
	// re-encryption. If both are the same Secret, its key was replaced and the Secret no longer contains the previous key.
	Active, Target string
	// State is the state of the newest key change, such as ReadOnlyDeploy.
	State string
}

// keyReadOnly is the state in which the new key can decrypt, but does not encrypt yet.
const keyReadOnly = "ReadOnlyDeploy"

// Describe returns which keys the data needs during a re-encryption. It is empty if that is not known.
func (e Encryption) Describe() string {
	switch active, target := sanitize.Word(e.Active), sanitize.Word(e.Target); {
	case e.Active == "" || e.Target == "":
		return ""
	case active == target:
		return fmt.Sprintf("the key in Secret %s was replaced, and the data still needs the one before: put it back, a "+
			"backup has it", active)
	case e.State == keyReadOnly:
		return fmt.Sprintf("until then all data has the key of Secret %s", active)
	default:
		return fmt.Sprintf("until then the data needs the key of Secret %s, and new data that of %s", active, target)
	}
}

// ReadEncryption reads the encryption keys from the status of a HostedCluster.
func ReadEncryption(ctx context.Context, r kube.Reader, key client.ObjectKey) (Encryption, error) {
	u := kube.HostedCluster.New()
	if err := r.Get(ctx, key, u); err != nil {
		return Encryption{}, err
	}
	secretName := func(which string) string {
		return kube.Text(u, "status", "secretEncryption", which, "aescbc", "secret", "name")
	}
	e := Encryption{Active: secretName("activeKey"), Target: secretName("targetKey")}
	if history, _, _ := unstructured.NestedSlice(u.Object, "status", "secretEncryption", "history"); len(history) > 0 {
		if newest, ok := history[0].(map[string]any); ok {
			e.State, _, _ = unstructured.NestedString(newest, "state")
		}
	}
	return e, nil
}
