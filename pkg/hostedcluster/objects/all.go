package objects

import (
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// All returns all objects of a hosted cluster in the order in which they are written: the Namespace, the companions,
// the HostedCluster and the NodePools. With the default options they are those of the vendor's CLI, hcp (a highly
// available control plane), except that the Namespace, which clusters share, has no label of one of them.
func All(o options.Validated, in Inputs) []client.Object {
	objects := []client.Object{Namespace(o)}
	objects = append(objects, Companions(o, in)...)
	objects = append(objects, HostedCluster(o, in))
	for _, pool := range o.NodePools {
		objects = append(objects, NodePool(o, pool, in))
	}
	return objects
}

// Companions returns the objects that the HostedCluster and the NodePools refer to, and others that must exist before
// them.
func Companions(o options.Validated, in Inputs) []client.Object {
	objects := []client.Object{pullSecretOf(o, in)}
	if o.HasSSHKey() {
		objects = append(objects, sshKeyOf(o, in))
	}
	if o.InfraKubeconfigFile.Given() {
		objects = append(objects,
			secretOf(o, in, hostedcluster.InfraCredentialsName(o.Name), infraCredentialsKey, o.InfraKubeconfigFile.Content))
	}
	if o.AuditWebhook.Given() {
		objects = append(objects,
			secretOf(o, in, hostedcluster.AuditWebhookName(o.Name), hyperv1.AuditWebhookKubeconfigKey, o.AuditWebhook.Content))
	}
	objects = append(objects, encryptionKeyOf(o, in))
	if o.AdditionalTrustBundle.Given() {
		objects = append(objects,
			configMapOf(o, in, hostedcluster.TrustBundleName(o.Name), "ca-bundle.crt", o.AdditionalTrustBundle.Content))
	}
	for _, pool := range o.NodePools {
		for _, config := range PoolConfigs(o, pool, in) {
			objects = append(objects, config)
		}
	}
	objects = append(objects, manifestsOf(o, in)...)
	objects = append(objects, addressesOf(o, in)...)
	hostedcluster.RecordKinds(objects[0], objects)
	return objects
}

// markWith returns the mark for the objects next to the HostedCluster of the options.
func markWith(o options.Validated, in Inputs) hostedcluster.Mark {
	return hostedcluster.Mark{Cluster: o.Namespace + "/" + o.Name, UID: in.UID, InfraID: in.InfraID}
}

// Namespace returns the namespace of the HostedCluster.
func Namespace(o options.Validated) *corev1.Namespace {
	return &corev1.Namespace{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{Name: o.Namespace},
	}
}

func configMapOf(o options.Validated, in Inputs, name, key string, content []byte) *corev1.ConfigMap {
	m := &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: o.Namespace},
		Data:       map[string]string{key: string(content)},
	}
	markWith(o, in).SetOn(m)
	return m
}

func secretOf(o options.Validated, in Inputs, name, key string, content []byte) *corev1.Secret {
	s := &corev1.Secret{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{
			Name:      name,
			Namespace: o.Namespace,
			Labels:    map[string]string{hostedcluster.SafeToDeleteLabel: "true"},
		},
		Type: corev1.SecretTypeOpaque,
		Data: map[string][]byte{key: content},
	}
	markWith(o, in).SetOn(s)
	return s
}

func pullSecretOf(o options.Validated, in Inputs) *corev1.Secret {
	return secretOf(o, in, hostedcluster.PullSecretName(o.Name), corev1.DockerConfigJsonKey, in.PullSecret)
}

func sshKeyOf(o options.Validated, in Inputs) *corev1.Secret {
	if !o.GenerateSSH {
		return secretOf(o, in, hostedcluster.SSHKeyName(o.Name), "id_rsa.pub", o.SSHKey.Content)
	}
	secret := secretOf(o, in, hostedcluster.SSHKeyName(o.Name), "id_rsa.pub", in.SSHKey.Public)
	secret.Data["id_rsa"] = in.SSHKey.Private
	return secret
}

func encryptionKeyOf(o options.Validated, in Inputs) *corev1.Secret {
	return secretOf(o, in, hostedcluster.EncryptionKeyName(o.Name), hyperv1.AESCBCKeySecretKey, in.EncryptionKey)
}
