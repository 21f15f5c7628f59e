package hostedcluster

import (
	"context"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

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

// ReadEncryptedWith reads the Secret with the key that all data in etcd is known to be encrypted with, from the
// HostedCluster's status.secretEncryption. HyperShift 4.22 and later report it; it is empty where that is not known.
func ReadEncryptedWith(ctx context.Context, r kube.Reader, key client.ObjectKey) string {
	u := kube.HostedCluster.New()
	if err := r.Get(ctx, key, u); err != nil {
		return ""
	}
	return kube.Text(u, "status", "secretEncryption", "activeKey", "aescbc", "secret", "name")
}
