package finished

import (
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"github.com/openshift/hypershift/api/util/ipnet"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/sandbox/hypershift/guest"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/world"
)

// kubeconfig makes the Secret with the admin kubeconfig of a finished cluster. All share one key pair.
func (s *clusters) kubeconfig(hc *hyperv1.HostedCluster, address string) (*corev1.Secret, error) {
	raw, err := guest.Kubeconfig(guest.Endpoint{Host: address, Port: metadata.APIPort}, s.cert, s.key)
	if err != nil {
		return nil, err
	}
	return &corev1.Secret{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: hc.Namespace, Name: hc.Status.KubeConfig.Name, UID: uuid.NewUUID(),
			CreationTimestamp: hc.CreationTimestamp,
			Labels: map[string]string{metadata.AutoCreatedForInfraLabel: hc.Spec.InfraID,
				operator.FinishedLabel: "true"},
			OwnerReferences: []metav1.OwnerReference{owner(hc)},
		},
		Type: corev1.SecretTypeOpaque, Data: map[string][]byte{metadata.KubeconfigKey: raw},
	}, nil
}

func owner(hc *hyperv1.HostedCluster) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: hyperv1.GroupVersion.String(), Kind: "HostedCluster", Name: hc.Name,
		UID: hc.UID}
}

// routeHost returns the host that the management cluster's ingress operator gives a Route.
func routeHost(name, namespace string) string {
	return fmt.Sprintf("%s-%s.apps.%s", name, namespace, world.BaseDomain)
}

func network(cidr string) ipnet.IPNet { return ptr.Deref(ipnet.MustParseCIDR(cidr), ipnet.IPNet{}) }
