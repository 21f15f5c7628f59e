package mce

import (
	"cmp"
	"context"
	"strings"
	"sync"
	"time"

	hypershiftv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	addonv1 "open-cluster-management.io/api/addon/v1alpha1"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

// autoImports starts what the addon's agent does with ManagedClusters: it deletes that of a hosted cluster that goes,
// and imports hosted clusters (MCE 2.4 and later).
func (m *engine) autoImports() error {
	if err := m.NewController("addon-agent", &hypershiftv1.HostedCluster{}).
		Complete(reconcile.Func(m.detachWithHosted)); err != nil {
		return err
	}
	if m.channel().Component != componentHypershift {
		return nil
	}
	imports := &autoImport{engine: m, done: map[types.UID]bool{}}
	if err := m.NewController("auto-import", &hypershiftv1.HostedCluster{}).
		Complete(reconcile.Func(imports.reconcile)); err != nil {
		return err
	}
	byNamespace := handler.EnqueueRequestsFromMapFunc(imports.ofKlusterlet)
	return m.NewController("external-managed-kubeconfig", &hypershiftv1.HostedCluster{}).
		Watches(&corev1.Namespace{}, byNamespace).
		Complete(reconcile.Func(imports.klusterlets))
}

// detachWithHosted deletes the ManagedCluster of a hosted cluster that is being deleted, or is gone: the one that its
// annotation names, else the one of its name, whoever made it. From 2.5 on it leaves those that are no hosted ones.
func (m *engine) detachWithHosted(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	hc := &hypershiftv1.HostedCluster{ObjectMeta: metav1.ObjectMeta{Namespace: req.Namespace, Name: req.Name}}
	found, err := framework.Exists(ctx, m.Client, hc)
	if err != nil || found && hc.DeletionTimestamp == nil {
		return reconcile.Result{}, err
	}
	agent := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: agentNamespace, Name: agentDeployment}}
	if _, err := framework.Exists(ctx, m.Client, agent); err != nil || agent.Status.AvailableReplicas == 0 {
		return reconcile.Result{}, err
	}
	c := &clusterv1.ManagedCluster{ObjectMeta: metav1.ObjectMeta{Name: cmp.Or(hc.Annotations[managedNameAnnotation],
		req.Name)}}
	if found, err := framework.Exists(ctx, m.Client, c); err != nil || !found || c.DeletionTimestamp != nil {
		return reconcile.Result{}, err
	}
	if framework.AtLeast(m.channel().Version, "2.5") && (c.Annotations[createdViaAnnotation] == "hive" || !isHosted(c)) {
		return reconcile.Result{}, nil
	}
	return reconcile.Result{}, framework.Remove(ctx, m.Client, c)
}

// ofKlusterlet returns the hosted clusters that a klusterlet's namespace may belong to.
func (i *autoImport) ofKlusterlet(ctx context.Context, o client.Object) []reconcile.Request {
	name, ok := strings.CutPrefix(o.GetName(), klusterletPrefix)
	if !ok {
		return nil
	}
	list := &hypershiftv1.HostedClusterList{}
	if err := i.Client.List(ctx, list); err != nil {
		return nil
	}
	var requests []reconcile.Request
	for k := range list.Items {
		if hc := &list.Items[k]; hc.Name == name || hc.Annotations[managedNameAnnotation] == name {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(hc)})
		}
	}
	return requests
}

func available(hc *hypershiftv1.HostedCluster) bool {
	return meta.IsStatusConditionTrue(hc.Status.Conditions, string(hypershiftv1.HostedClusterAvailable))
}

// autoImport creates a ManagedCluster for each hosted cluster, once in the agent's life. A detached cluster is not
// imported again.
type autoImport struct {
	*engine
	mu   sync.Mutex
	done map[types.UID]bool
}

func (i *autoImport) reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	hc := &hypershiftv1.HostedCluster{ObjectMeta: metav1.ObjectMeta{Namespace: req.Namespace, Name: req.Name}}
	if found, err := framework.Exists(ctx, i.Client, hc); err != nil || !found || hc.DeletionTimestamp != nil {
		return reconcile.Result{}, err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.done[hc.UID] || !available(hc) {
		return reconcile.Result{}, nil
	}
	local, err := i.hosting(ctx)
	if err != nil || local == "" {
		return reconcile.Result{}, err
	}
	c := &clusterv1.ManagedCluster{
		ObjectMeta: metav1.ObjectMeta{
			Name:   hc.Name,
			Labels: map[string]string{},
			Annotations: map[string]string{
				deployModeAnnotation: "Hosted",
				"import.open-cluster-management.io/hosting-cluster-name": local,
				createdViaAnnotation: "hypershift",
			},
		},
		Spec: clusterv1.ManagedClusterSpec{HubAcceptsClient: true, LeaseDurationSeconds: 60},
	}
	// The hosted cluster's own labels win since 2.7; older versions do not copy them.
	if framework.AtLeast(i.channel().Version, "2.7") {
		for k, v := range hc.Labels {
			c.Labels[k] = v
		}
	}
	for k, v := range map[string]string{
		"name": hc.Name, "vendor": "auto-detect", "cloud": "auto-detect",
		"cluster.open-cluster-management.io/clusterset": "default",
	} {
		if _, ok := c.Labels[k]; !ok {
			c.Labels[k] = v
		}
	}
	if err := framework.Create(ctx, i.Client, c); err != nil {
		return reconcile.Result{}, err
	}
	configured, err := i.configureKlusterlet(ctx, c.Name)
	if err != nil || !configured {
		return framework.RequeueAfter(i.Pace.Scale(time.Second)), err
	}
	i.done[hc.UID] = true
	return reconcile.Result{}, nil
}

// hostingNamespace returns the namespace of the hosting cluster, if the addon's agent runs there.
func (i *autoImport) hostingNamespace(ctx context.Context) (string, error) {
	addons := &addonv1.ManagedClusterAddOnList{}
	if err := i.Client.List(ctx, addons); err != nil {
		return "", err
	}
	for _, a := range addons.Items {
		if a.Name == hypershiftAddon && a.DeletionTimestamp == nil {
			return a.Namespace, nil
		}
	}
	return "", nil
}

// hosting returns the name of the hosting cluster, if the addon's agent runs there and imports are not disabled.
func (i *autoImport) hosting(ctx context.Context) (string, error) {
	config := &addonv1.AddOnDeploymentConfig{ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: addonConfig}}
	if _, err := framework.Exists(ctx, i.Client, config); err != nil {
		return "", err
	}
	for _, v := range config.Spec.CustomizedVariables {
		if v.Name == "autoImportDisabled" && v.Value == "true" {
			return "", nil
		}
	}
	return i.hostingNamespace(ctx)
}
