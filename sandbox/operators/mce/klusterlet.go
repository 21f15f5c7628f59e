package mce

import (
	"context"
	"fmt"
	"strings"
	"time"

	hypershiftv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	operatorsv1 "github.com/operator-framework/api/pkg/operators/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

var klusterletConfigKind = schema.GroupVersionKind{Group: "agent.open-cluster-management.io", Version: "v1",
	Kind: "KlusterletAddonConfig"}

const (
	// managedNameAnnotation on a HostedCluster names the klusterlet for its kubeconfig. The default is the
	// HostedCluster's name.
	managedNameAnnotation = "cluster.open-cluster-management.io/managedcluster-name"
	// externalHubAnnotation is the agent's note of when it saw a new klusterlet.
	externalHubAnnotation = "create-external-hub-kubeconfig"

	mirrorNameLabel      = "hypershiftdeployments.cluster.open-cluster-management.io/cluster-name"
	mirrorNamespaceLabel = "hypershiftdeployments.cluster.open-cluster-management.io/hosting-namespace"
)

// mirrorSecrets maps the name suffixes of HostedCluster Secrets to those of the agent's copies on the hub.
var mirrorSecrets = map[string]string{"admin-kubeconfig": "kubeconfig", "kubeadmin-password": "password"}

// klusterlets reconciles what the addon's agent gives managed or importable hosted clusters: copies of their Secrets in
// the hosting cluster's namespace, and the kubeconfig of their klusterlet.
func (i *autoImport) klusterlets(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	local, err := i.hostingNamespace(ctx)
	if err != nil || local == "" {
		return reconcile.Result{}, err
	}
	hc := &hypershiftv1.HostedCluster{ObjectMeta: metav1.ObjectMeta{Namespace: req.Namespace, Name: req.Name}}
	found, err := framework.Exists(ctx, i.Client, hc)
	if err != nil {
		return reconcile.Result{}, err
	}
	if !found {
		return reconcile.Result{}, i.deleteMirrors(ctx, local, req)
	}
	if hc.DeletionTimestamp != nil || !available(hc) {
		return reconcile.Result{}, nil
	}
	name := hc.Annotations[managedNameAnnotation]
	if name == "" {
		name = hc.Name
	}
	for end, key := range mirrorSecrets {
		from := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: hc.Namespace, Name: hc.Name + "-" + end}}
		if there, err := framework.Exists(ctx, i.Client, from); err != nil || !there {
			if err != nil {
				return reconcile.Result{}, err
			}
			continue
		}
		mirror := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: local, Name: name + "-" + end}}
		if err := framework.Ensure(ctx, i.Client, mirror, func(s *corev1.Secret) {
			metav1.SetMetaDataLabel(&s.ObjectMeta, mirrorNameLabel, hc.Name)
			metav1.SetMetaDataLabel(&s.ObjectMeta, mirrorNamespaceLabel, hc.Namespace)
			metav1.SetMetaDataAnnotation(&s.ObjectMeta, managedNameAnnotation, name)
			s.Data = map[string][]byte{key: from.Data[key]}
		}); err != nil {
			return reconcile.Result{}, err
		}
		if end == "admin-kubeconfig" {
			if err := i.externalKubeconfig(ctx, hc, name, from.Data[key]); err != nil {
				return reconcile.Result{}, err
			}
		}
	}
	return reconcile.Result{}, nil
}

// externalKubeconfig gives a klusterlet the hosted cluster's kubeconfig, with the API's address inside this cluster.
func (i *autoImport) externalKubeconfig(ctx context.Context, hc *hypershiftv1.HostedCluster, name string,
	kubeconfig []byte) error {
	namespace := klusterletPrefix + name
	if there, err := i.HasNamespace(ctx, namespace); err != nil || !there {
		return err
	}
	config, err := clientcmd.Load(kubeconfig)
	if err != nil {
		return fmt.Errorf("the kubeconfig of HostedCluster %s/%s: %w", hc.Namespace, hc.Name, err)
	}
	for _, c := range config.Clusters {
		c.Server = fmt.Sprintf("https://kube-apiserver.%s-%s.svc.cluster.local:6443", hc.Namespace,
			strings.ReplaceAll(hc.Name, ".", "-"))
	}
	raw, err := clientcmd.Write(*config)
	if err != nil {
		return fmt.Errorf("write a kubeconfig: %w", err)
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "external-managed-kubeconfig"}}
	if err := framework.Ensure(ctx, i.Client, secret, func(s *corev1.Secret) {
		s.Data = map[string][]byte{"kubeconfig": raw}
	}); err != nil {
		return err
	}
	return framework.Change(ctx, i.Client, hc, func(hc *hypershiftv1.HostedCluster) {
		if hc.Annotations[externalHubAnnotation] == "" {
			metav1.SetMetaDataAnnotation(&hc.ObjectMeta, externalHubAnnotation, time.Now().Format(time.RFC3339))
		}
	})
}

// deleteMirrors deletes the copied Secrets of a deleted HostedCluster. Its ManagedCluster stays.
func (i *autoImport) deleteMirrors(ctx context.Context, local string, of reconcile.Request) error {
	return i.Client.DeleteAllOf(ctx, &corev1.Secret{}, client.InNamespace(local), client.MatchingLabels{
		mirrorNameLabel: of.Name, mirrorNamespaceLabel: of.Namespace,
	})
}

// configureKlusterlet creates the KlusterletAddonConfig of an imported cluster once its namespace exists, if Advanced
// Cluster Management is installed.
func (i *autoImport) configureKlusterlet(ctx context.Context, name string) (bool, error) {
	installed, err := i.hubInstalled(ctx)
	if err != nil || !installed {
		return true, err
	}
	if there, err := i.HasNamespace(ctx, name); err != nil || !there {
		return false, err
	}
	config := framework.Unstructured(klusterletConfigKind)
	config.SetNamespace(name)
	config.SetName(name)
	on := map[string]any{"enabled": true}
	cloud, vendor := "Amazon", "Openshift" // of every cluster in 2.4 and 2.5 (hypershift-addon-operator)
	if framework.AtLeast(i.channel().Version, "2.6") {
		cloud, vendor = "auto-detect", "auto-detect"
	}
	config.Object["spec"] = map[string]any{
		"clusterName": name, "clusterNamespace": name,
		"clusterLabels":      map[string]any{"cloud": cloud, "vendor": vendor},
		"applicationManager": on, "certPolicyController": on, "iamPolicyController": on, "policyController": on,
		"searchCollector": on,
	}
	return true, framework.Create(ctx, i.Client, config)
}

// hubInstalled looks for OLM's Operator object of Advanced Cluster Management.
func (i *autoImport) hubInstalled(ctx context.Context) (bool, error) {
	list := &operatorsv1.OperatorList{}
	if err := i.Client.List(ctx, list); err != nil {
		if framework.IsGone(err) {
			return false, nil
		}
		return false, err
	}
	for _, o := range list.Items {
		if strings.HasPrefix(o.Name, "advanced-cluster-management.") {
			return true, nil
		}
	}
	return false, nil
}
