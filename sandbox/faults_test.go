package main_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// clusterOf returns a client of a sandbox's cluster for one of its kubeconfigs.
func clusterOf(t *testing.T, dir, kubeconfig string) client.Client {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", filepath.Join(dir, kubeconfig))
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1
	c, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// read reads the current object.
func read(t *testing.T, c client.Client, apiVersion, kind, namespace, name string) *unstructured.Unstructured {
	t.Helper()
	o := named(apiVersion, kind, namespace, name)
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
		t.Fatal(err)
	}
	return o
}

func named(apiVersion, kind, namespace, name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(schema.FromAPIVersionAndKind(apiVersion, kind))
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}

// condition returns "STATUS REASON" of a condition, or "".
func condition(o *unstructured.Unstructured, kind string) string {
	list, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, c := range list {
		if m, ok := c.(map[string]any); ok && m["type"] == kind {
			return strings.TrimSpace(fmt.Sprintf("%v %v", m["status"], m["reason"]))
		}
	}
	return ""
}

// component returns an entry of a MultiClusterEngine's status, or nil.
func component(engine *unstructured.Unstructured, name string) map[string]any {
	list, _, _ := unstructured.NestedSlice(engine.Object, "status", "components")
	for _, c := range list {
		if m, ok := c.(map[string]any); ok && m["name"] == name {
			return m
		}
	}
	return nil
}

func text(o *unstructured.Unstructured, path ...string) string {
	s, _, _ := unstructured.NestedString(o.Object, path...)
	return s
}

// eventually polls until look returns nil, and fails with its last error.
func eventually(t *testing.T, d time.Duration, look func() error) {
	t.Helper()
	deadline := time.After(d)
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for {
		err := look()
		if err == nil {
			return
		}
		select {
		case <-deadline:
			t.Errorf("after %s: %v", d, err)
			return
		case <-again.C:
		}
	}
}

// Faults of a provisioned cluster show as soon as the sandbox is ready. The tests of faults run in parallel, because
// they mostly wait.
func TestFaultsOfAProvisionedWorld(t *testing.T) {
	t.Parallel()
	r := launch(t, t.TempDir(), "--profile", "ready", "--speed", "10",
		"--fault", "storagecluster-error", "--fault", "two-default-storageclasses", "--fault", "hco-degraded", "--fault",
		"no-kvm",
		"--fault", "metallb-pool-empty", "--fault", "metallb-pool-overlap", "--fault", "no-advertisement",
		"--fault", "mce-component-stuck", "--fault", "renamed-local-cluster", "--fault", "addon-degraded", "--fault",
		"rbac-restricted")
	c := clusterOf(t, r.dir, "kubeconfig")

	storage := read(t, c, "ocs.openshift.io/v1", "StorageCluster", "openshift-storage", "ocs-storagecluster")
	if phase, got := text(storage, "status", "phase"), condition(storage, "ReconcileComplete"); phase != "Error" ||
		got != "False ReconcileFailed" {
		t.Errorf("StorageCluster: phase %s, ReconcileComplete %s", phase, got)
	}
	if got := defaultClasses(t, c); len(got) != 2 {
		t.Errorf("default classes: %v, want two", got)
	}
	hco := read(t, c, "hco.kubevirt.io/v1beta1", "HyperConverged", "openshift-cnv", "kubevirt-hyperconverged")
	if d, a := condition(hco, "Degraded"), condition(hco, "Available"); d != "True CDIDegraded" ||
		a != "False HCODegraded" {
		t.Errorf("HyperConverged: Degraded %s, Available %s", d, a)
	}
	checkNoKVM(t, c)

	pool := read(t, c, "metallb.io/v1beta1", "IPAddressPool", "metallb-system", "metallb")
	if free, found, _ := unstructured.NestedInt64(pool.Object, "status", "availableIPv4"); free != 0 || !found {
		t.Errorf("pool metallb has %d addresses left (counted: %v)", free, found)
	}
	read(t, c, "metallb.io/v1beta1", "IPAddressPool", "metallb-system", "lab")
	l2 := read(t, c, "metallb.io/v1beta1", "L2Advertisement", "metallb-system", "metallb")
	if pools, _, _ := unstructured.NestedStringSlice(l2.Object, "spec", "ipAddressPools"); len(pools) != 1 ||
		pools[0] == "metallb" {
		t.Errorf("the advertisement selects %v", pools)
	}

	engine := read(t, c, "multicluster.openshift.io/v1", "MultiClusterEngine", "", "multiclusterengine")
	// Which of its conditions a Deployment's entry repeats depends on the second in which each changed; only one that is
	// well has this message.
	hive := component(engine, "hive-operator")
	if phase := text(engine, "status", "phase"); phase != "Progressing" || hive == nil ||
		hive["message"] == "Deployment is available" {
		t.Errorf("MultiClusterEngine: phase %s, component hive-operator %v", phase, hive)
	}
	if err := c.Get(t.Context(), client.ObjectKey{Name: "local-cluster"}, &corev1.Namespace{}); !apierrors.IsNotFound(
		err) {
		t.Errorf("namespace local-cluster: %v, want not found", err)
	}
	local := read(t, c, "cluster.open-cluster-management.io/v1", "ManagedCluster", "", "hub")
	if got := condition(local, "ManagedClusterConditionAvailable"); local.GetLabels()["local-cluster"] != "true" ||
		!strings.HasPrefix(got, "True") {
		t.Errorf("ManagedCluster hub: labels %v, Available %s", local.GetLabels(), got)
	}
	addon := read(t, c, "addon.open-cluster-management.io/v1alpha1", "ManagedClusterAddOn", "hub", "hypershift-addon")
	if d, a := condition(addon, "Degraded"), condition(addon, "Available"); d != "True OperatorNotAllAvailableReplicas" ||
		!strings.HasPrefix(a, "True") {
		t.Errorf("addon: Degraded %s, Available %s", d, a)
	}
	checkRestricted(t, r)
}

func defaultClasses(t *testing.T, c client.Client) []string {
	t.Helper()
	classes := &storagev1.StorageClassList{}
	if err := c.List(t.Context(), classes); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, class := range classes.Items {
		if class.Annotations["storageclass.kubernetes.io/is-default-class"] == "true" {
			out = append(out, class.Name)
		}
	}
	return out
}

func checkNoKVM(t *testing.T, c client.Client) {
	t.Helper()
	nodes := &corev1.NodeList{}
	if err := c.List(t.Context(), nodes, client.HasLabels{"kubevirt.io/schedulable"}); err != nil {
		t.Fatal(err)
	}
	without, unschedulable := 0, 0
	for _, n := range nodes.Items {
		kvm, offered := n.Status.Allocatable["devices.kubevirt.io/kvm"]
		switch {
		case n.Labels["kubevirt.io/schedulable"] == "false" && !offered:
			unschedulable++
		case offered && kvm.IsZero():
			without++
		}
	}
	if without != 2 || unschedulable != 1 || len(nodes.Items) != 3 {
		t.Errorf("%d nodes without KVM and %d unschedulable of %d, want 2, 1 of 3", without, unschedulable, len(nodes.Items))
	}
}

// checkRestricted checks the rights of the user of kubeconfig-restricted.
func checkRestricted(t *testing.T, r *running) {
	t.Helper()
	if !strings.Contains(r.stderr.String(), "restricted: "+filepath.Join(r.dir, "kubeconfig-restricted")) {
		t.Errorf("stderr does not say where the kubeconfig is: %q", r.stderr)
	}
	c := clusterOf(t, r.dir, "kubeconfig-restricted")
	for what, want := range map[authorizationv1.ResourceAttributes]bool{
		{Verb: "list", Group: "operators.coreos.com", Resource: "subscriptions"}:        true,
		{Verb: "create", Group: "operators.coreos.com", Resource: "subscriptions"}:      false,
		{Verb: "patch", Group: "operator.openshift.io", Resource: "ingresscontrollers"}: false,
		{Verb: "list", Resource: "secrets"}:                                             false,
		{Verb: "create", Resource: "namespaces"}:                                        true,
	} {
		review := &authorizationv1.SelfSubjectAccessReview{
			Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &what}}
		if err := c.Create(t.Context(), review); err != nil {
			t.Fatal(err)
		}
		if review.Status.Allowed != want {
			t.Errorf("%s %s: allowed %v, want %v", what.Verb, what.Resource, review.Status.Allowed, want)
		}
	}
	if err := c.List(t.Context(), &corev1.SecretList{}); !apierrors.IsForbidden(err) {
		t.Errorf("listing Secrets: %v, want Forbidden", err)
	}
}
