package mce

import (
	"bytes"
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

const (
	klusterletConfigAnnotation = "agent.open-cluster-management.io/klusterlet-config"
	// mceImportConfig is the KlusterletConfig of the vendor's documents for clusters with a multicluster engine of their
	// own, mceImportPostfix what it appends to names. The sandbox does not have the kind.
	mceImportConfig, mceImportPostfix = "mce-import-klusterlet-config", "mce-import"
	klusterletName                    = "klusterlet"
)

var klusterletKind = schema.GroupVersionKind{Group: "operator.open-cluster-management.io", Version: "v1",
	Kind: "Klusterlet"}

// importSite imports another management cluster: it writes the manifests that somebody applies there, as the import
// controller does. The agents there are Open Cluster Management's own.
func (m *engine) importSite(ctx context.Context, c *clusterv1.ManagedCluster) (reconcile.Result, error) {
	if there, err := m.HasNamespace(ctx, c.Name); err != nil || !there {
		return reconcile.Result{}, err
	}
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: c.Name, Name: bootstrapAccount(c.Name)}}
	for _, o := range []client.Object{account, roleOf(c.Name), bindingOf(c.Name)} {
		if err := framework.Create(ctx, m.Client, o); err != nil {
			return reconcile.Result{}, err
		}
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: c.Name, Name: c.Name + "-import"}}
	found, err := framework.Exists(ctx, m.Client, secret)
	if err != nil {
		return reconcile.Result{}, err
	}
	if !found {
		kubeconfig, err := m.tokenKubeconfig(ctx, account)
		if err != nil {
			return reconcile.Result{}, err
		}
		manifests, err := klusterletManifests(c, kubeconfig)
		if err != nil {
			return reconcile.Result{}, err
		}
		secret.Data = map[string][]byte{"import.yaml": manifests}
		if err := framework.Create(ctx, m.Client, secret); err != nil {
			return reconcile.Result{}, err
		}
	}
	imported := metav1.Condition{Type: conditionImported, Status: metav1.ConditionFalse,
		Reason: "ManagedClusterWaitForImporting", Message: "Wait for importing"}
	if meta.IsStatusConditionTrue(c.Status.Conditions, clusterv1.ManagedClusterConditionAvailable) {
		imported.Status, imported.Reason = metav1.ConditionTrue, "ManagedClusterImported"
		imported.Message = "Import succeeded"
	} else if meta.IsStatusConditionTrue(c.Status.Conditions, conditionImported) {
		// A cluster that was imported once stays so.
		return reconcile.Result{}, nil
	}
	return reconcile.Result{}, m.clusterCondition(ctx, c, imported)
}

// klusterletManifests returns the namespace of a cluster's agents, what they join with, and the Klusterlet, as YAML
// documents. The vendor's have more: the Klusterlet's CRD, its operator and the roles of all.
func klusterletManifests(c *clusterv1.ManagedCluster, kubeconfig []byte) ([]byte, error) {
	name, namespace := klusterletName, klusterletNamespace
	if c.Annotations[klusterletConfigAnnotation] == mceImportConfig {
		name, namespace = klusterletPrefix+mceImportPostfix, "open-cluster-management-"+mceImportPostfix
	}
	klusterlet := framework.Unstructured(klusterletKind)
	klusterlet.SetName(name)
	klusterlet.Object["spec"] = map[string]any{"clusterName": c.Name, "namespace": namespace,
		"deployOption": map[string]any{"mode": "Singleton"}}
	var out bytes.Buffer
	for _, o := range []any{
		&corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
			ObjectMeta: metav1.ObjectMeta{Name: namespace}},
		&corev1.Secret{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: bootstrapSecret},
			Data:       map[string][]byte{"kubeconfig": kubeconfig}},
		klusterlet.Object,
	} {
		document, err := yaml.Marshal(o)
		if err != nil {
			return nil, fmt.Errorf("write the manifests of cluster %s: %w", c.Name, err)
		}
		out.WriteString("---\n")
		out.Write(document)
	}
	return out.Bytes(), nil
}
