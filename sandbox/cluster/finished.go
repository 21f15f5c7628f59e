package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"path"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/cluster/etcd"
	"github.com/hcctl/hcctl/sandbox/hypershift/finished"
)

// seedFinished writes finished hosted clusters and their namespace into etcd before the API server starts, which is
// much faster than through the API. A test checks them with the API server's strict validation.
func seedFinished(ctx context.Context, db *etcd.Store, opts Options) error {
	objects, err := finished.Clusters(opts.Profile, opts.Clusters, opts.Pools)
	if err != nil {
		return err
	}
	values := map[string][]byte{}
	for _, o := range append(objects, finishedNamespace()) {
		key, err := finishedKey(o)
		if err != nil {
			return err
		}
		if values[key], err = json.Marshal(o); err != nil {
			return fmt.Errorf("encode %T %s: %w", o, o.GetName(), err)
		}
	}
	return db.Put(ctx, values)
}

// finishedKey returns the key under which the API server stores an object.
func finishedKey(o client.Object) (string, error) {
	resource := ""
	switch o.(type) {
	case *hyperv1.HostedCluster:
		resource = hyperv1.GroupVersion.Group + "/hostedclusters"
	case *hyperv1.NodePool:
		resource = hyperv1.GroupVersion.Group + "/nodepools"
	case *corev1.Secret:
		resource = "secrets"
	case *corev1.Namespace:
		resource = "namespaces"
	default:
		return "", fmt.Errorf("no place in etcd is known for %T", o)
	}
	return path.Join(etcd.ManagementPrefix, resource, o.GetNamespace(), o.GetName()), nil
}

func finishedNamespace() *corev1.Namespace {
	return &corev1.Namespace{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{
			Name: finished.Namespace, UID: newUID(), CreationTimestamp: metav1.Now(),
			Labels: map[string]string{corev1.LabelMetadataName: finished.Namespace},
		},
		Spec:   corev1.NamespaceSpec{Finalizers: []corev1.FinalizerName{corev1.FinalizerKubernetes}},
		Status: corev1.NamespaceStatus{Phase: corev1.NamespaceActive},
	}
}
