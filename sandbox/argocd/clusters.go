package argocd

import (
	"context"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"
)

// decided returns the namespace of Argo CD for each cluster that a GitOpsCluster's Placement has chosen.
func (h *hosted) decided(ctx context.Context) (map[string]string, error) {
	all, err := listAny(ctx, h.argo.Client, "apps.open-cluster-management.io", "v1beta1", "GitOpsCluster")
	if err != nil || len(all) == 0 {
		return nil, err
	}
	decisions, err := listAny(ctx, h.argo.Client, clusterv1beta1.GroupName, "v1beta1", "PlacementDecision")
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for i := range all {
		g := &all[i]
		namespace, _, _ := unstructured.NestedString(g.Object, "spec", "argoServer", "argoNamespace")
		placement, _, _ := unstructured.NestedString(g.Object, "spec", "placementRef", "name")
		for j := range decisions {
			d := &decisions[j]
			if d.GetNamespace() != g.GetNamespace() || d.GetLabels()[clusterv1beta1.PlacementLabel] != placement {
				continue
			}
			list, _, _ := unstructured.NestedSlice(d.Object, "status", "decisions")
			for _, one := range list {
				if decision, ok := one.(object); ok {
					name, _ := decision["clusterName"].(string)
					out[name] = namespace
				}
			}
		}
	}
	return out, nil
}

// register writes the Secret by which Argo CD knows a cluster, as the controller of GitOpsClusters does
// (multicloud-integrations, ACM 2.13 on). The real one has a token of addon application-manager in it, this one the
// administrator's certificate.
func (h *hosted) register(ctx context.Context, namespace, cluster string, config *rest.Config) error {
	login, err := json.Marshal(object{"tlsClientConfig": object{"caData": config.CAData, "certData": config.CertData,
		"keyData": config.KeyData}})
	if err != nil {
		return err
	}
	err = h.argo.Client.Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: cluster + "-application-manager-cluster-secret",
			Labels: map[string]string{"argocd.argoproj.io/secret-type": "cluster",
				"apps.open-cluster-management.io/acm-cluster":  "true",
				"apps.open-cluster-management.io/cluster-name": cluster}},
		Data: map[string][]byte{"name": []byte(cluster), "server": []byte(config.Host), "config": login},
	})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}
