package acm

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

var (
	gitOpsClusterKind = schema.GroupVersionKind{Group: "apps.open-cluster-management.io", Version: "v1beta1",
		Kind: "GitOpsCluster"}
	decisionKind = schema.GroupVersionKind{Group: clusterv1beta1.GroupName, Version: "v1beta1", Kind: "PlacementDecision"}
)

// retryTime is when the controller tries again what failed: a minute in reality.
const retryTime = 2 * time.Second

// registerClusters plays the controller of GitOpsClusters (multicloud-integrations, pkg/controller/gitopscluster). It
// makes no cluster Secrets: no Argo CD would use them.
func (a *acm) registerClusters() error {
	return a.WhenServed("gitopscluster-crd", func() error {
		return a.NewController("gitopscluster", framework.Unstructured(gitOpsClusterKind)).
			Watches(framework.Unstructured(decisionKind), a.ToEach(framework.UnstructuredList(gitOpsClusterKind))).
			Complete(a.ForExisting(gitOpsClusterKind, a.registerOf))
	}, gitOpsClusterKind, decisionKind)
}

func (a *acm) registerOf(ctx context.Context, g *unstructured.Unstructured) (ctrl.Result, error) {
	if g.GetDeletionTimestamp() != nil {
		return ctrl.Result{}, nil
	}
	namespace := framework.Text(g, "spec", "argoServer", "argoNamespace")
	services := &corev1.ServiceList{}
	if err := a.Client.List(ctx, services, framework.InNamespace(namespace), client.MatchingLabels{
		"app.kubernetes.io/component": "server", "app.kubernetes.io/part-of": "argocd"}); err != nil {
		return ctrl.Result{}, err
	}
	if len(services.Items) == 0 {
		return framework.RequeueAfter(a.Pace.Scale(retryTime)), a.registered(ctx, g, "failed",
			"invalid gitops namespace because argo server pod was not found", framework.Condition{Type: "ArgoServerVerified",
				Status: "False", Reason: "ArgoServerNotFound",
				Message: "ArgoCD server pod was not found in the specified namespace"})
	}
	if err := a.decisionSupport(ctx, namespace); err != nil {
		return ctrl.Result{}, err
	}
	placement := framework.Text(g, "spec", "placementRef", "name")
	decisions := framework.UnstructuredList(decisionKind)()
	if err := a.Client.List(ctx, decisions, framework.InNamespace(g.GetNamespace()), client.MatchingLabels{
		clusterv1beta1.PlacementLabel: placement}); err != nil {
		return ctrl.Result{}, err
	}
	if len(framework.Items(decisions)) == 0 {
		message := "no placement decision found for placement: " + placement
		return framework.RequeueAfter(a.Pace.Scale(retryTime)), a.registered(ctx, g, "failed", message, framework.Condition{
			Type: "PlacementResolved", Status: "False", Reason: "PlacementNotFound", Message: message})
	}
	var names []string
	for _, o := range framework.Items(decisions) {
		var own []clusterv1beta1.ClusterDecision
		u, ok := framework.AsUnstructured(o)
		if !ok {
			continue
		}
		if _, err := framework.Read(u, &own, "status", "decisions"); err != nil {
			return ctrl.Result{}, err
		}
		for _, one := range own {
			names = append(names, one.ClusterName)
		}
	}
	sort.Strings(names)
	added := fmt.Sprintf("Added managed clusters [%s] to gitops namespace %s", strings.Join(names, " "), namespace)
	return ctrl.Result{}, a.registered(ctx, g, "successful", added, framework.Condition{
		Type: "PlacementResolved", Status: "True", Reason: "Success",
		Message: fmt.Sprintf("Successfully resolved %d managed clusters from placement", len(names))})
}

// decisionSupport makes what ApplicationSets find clusters by, where it is not there, and leaves alone what is.
func (a *acm) decisionSupport(ctx context.Context, namespace string) error {
	role := metav1.ObjectMeta{Namespace: namespace, Name: namespace + "-applicationset-controller-placement"}
	for _, o := range []client.Object{
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "acm-placement"}, Data: map[string]string{
			"apiVersion": "cluster.open-cluster-management.io/v1beta1", "kind": "placementdecisions",
			"statusListKey": "decisions", "matchKey": "clusterName"}},
		&rbacv1.Role{ObjectMeta: role, Rules: []rbacv1.PolicyRule{{APIGroups: []string{clusterv1beta1.GroupName},
			Resources: []string{"placementdecisions"}, Verbs: []string{"list"}}}},
		&rbacv1.RoleBinding{ObjectMeta: role, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role",
			Name: role.Name}, Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: namespace,
			Name: "openshift-gitops-applicationset-controller"}}},
	} {
		if err := framework.Create(ctx, a.Client, o); err != nil {
			return err
		}
	}
	return nil
}

// registered writes phase, message and a condition; conditions came with ACM 2.15, which is the sandbox's.
func (a *acm) registered(ctx context.Context, g *unstructured.Unstructured, phase, message string,
	c framework.Condition) error {
	ready := framework.Condition{Type: "Ready", Status: "True", Reason: "Success",
		Message: "GitOpsCluster is ready and all components are functioning correctly"}
	if c.Status == "False" {
		ready = framework.Condition{Type: "Ready", Status: "False", Reason: "ClusterRegistrationFailed",
			Message: fmt.Sprintf("One or more components have failed: %s", c.Type)}
	}
	return framework.WriteStatus(ctx, a.Client, g, func(o *unstructured.Unstructured) {
		framework.Set(o, phase, "status", "phase")
		framework.Set(o, message, "status", "message")
		if c.Type != "ArgoServerVerified" {
			framework.SetConditions(o, framework.Plain, framework.Condition{Type: "ArgoServerVerified", Status: "True",
				Reason: "Success", Message: "ArgoCD server pod found in the specified namespace"})
		}
		framework.SetConditions(o, framework.Plain, c, ready)
	})
}
