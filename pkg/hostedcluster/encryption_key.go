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

// EncryptionKey is the Secret with the AES-CBC key that new data in the hosted cluster's etcd is encrypted with; empty
// where it is not encrypted so.
func EncryptionKey(hc *hyperv1.HostedCluster) string {
	if e := hc.Spec.SecretEncryption; e != nil && e.AESCBC != nil {
		return e.AESCBC.ActiveKey.Name
	}
	return ""
}

// Encryption is with which keys the data in etcd is encrypted, from the HostedCluster's status.secretEncryption.
// HyperShift 4.22 and later report it; it is empty where that is not known. The module of its API lacks the field.
type Encryption struct {
	// Active is the Secret with the AES-CBC key that all data is known to be encrypted with, Target that of the one with
	// which it is encrypted anew. If both are one Secret, its key was replaced, and the one before is not in it any more.
	Active, Target string
	// State is how far the newest change of the key is, such as ReadOnlyDeploy.
	State string
}

// keyReadOnly is the state in which the new key does not encrypt yet.
const keyReadOnly = "ReadOnlyDeploy"

// Describe says which key the data needs while it is encrypted anew; empty where that is not known.
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

// ReadEncryption reads the keys of a HostedCluster.
func ReadEncryption(ctx context.Context, r kube.Reader, key client.ObjectKey) (Encryption, error) {
	u := kube.HostedCluster.New()
	if err := r.Get(ctx, key, u); err != nil {
		return Encryption{}, err
	}
	of := func(which string) string {
		return kube.Text(u, "status", "secretEncryption", which, "aescbc", "secret", "name")
	}
	e := Encryption{Active: of("activeKey"), Target: of("targetKey")}
	if history, _, _ := unstructured.NestedSlice(u.Object, "status", "secretEncryption", "history"); len(history) > 0 {
		if newest, ok := history[0].(map[string]any); ok {
			e.State, _, _ = unstructured.NestedString(newest, "state")
		}
	}
	return e, nil
}
