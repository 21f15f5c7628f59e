package main_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Installation faults show while OLM installs the operators, and heal if they should. installplan-failed needs a
// sandbox of its own, because it blocks multicluster-engine.
func TestFaultsOfAnInstallation(t *testing.T) {
	t.Parallel()
	r := launch(t, t.TempDir(), "--speed", "20",
		"--fault", "catalog-unhealthy", "--fault", "package-missing", "--fault", "two-operatorgroups",
		"--fault", "wrong-installmode", "--fault", "csv-requirements-not-met", "--fault", "crd-late", "--fault",
		"webhook-refuses",
		"--fault", "namespace-terminating", "--fault", "no-disks", "--fault", "lvms-rwo-only", "--fault",
		"local-cluster-namespace-exists",
		"--fault", "ingress-rollout-slow")
	c := clusterOf(t, r.dir, "kubeconfig")
	checkLeftovers(t, c)
	checkSlowIngress(t, c)
	eventually(t, 20*time.Second, func() error {
		return is(t, "READY", text(read(t, c, "operators.coreos.com/v1alpha1", "CatalogSource", "openshift-marketplace",
			"redhat-operators"),
			"status", "connectionState", "lastObservedState"))
	})
	eventually(t, 10*time.Second, func() error {
		return c.Get(t.Context(), client.ObjectKey{Namespace: "openshift-marketplace", Name: "odf-operator"},
			packageManifest("odf-operator"))
	})
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: "openshift-marketplace", Name: "metallb-operator"},
		packageManifest("metallb-operator")); client.IgnoreNotFound(err) != nil || err == nil {
		t.Errorf("package metallb-operator: %v, want not found", err)
	}

	subscribe(t, c, "openshift-cnv", "kubevirt-hyperconverged", nil)
	subscribe(t, c, "elsewhere", "kubevirt-hyperconverged", []any{"elsewhere"})
	subscribe(t, c, "multicluster-engine", "multicluster-engine", []any{"multicluster-engine"})
	if err := awaitRefusal(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	checkLateEngine(t, c)
	for namespace, want := range map[string]string{
		"openshift-cnv": "Failed UnsupportedOperatorGroup", "elsewhere": "Pending RequirementsNotMet",
	} {
		eventually(t, 60*time.Second, func() error {
			return only(t, c, "ClusterServiceVersion", namespace, want, "status",
				"reason")
		})
	}
}

func is(t *testing.T, want, got string) error {
	t.Helper()
	if got != want {
		return fmt.Errorf("%q, want %q", got, want)
	}
	return nil
}

func packageManifest(name string) *unstructured.Unstructured {
	return named("packages.operators.coreos.com/v1", "PackageManifest", "openshift-marketplace", name)
}

// checkLeftovers checks the objects that a user could have left.
func checkLeftovers(t *testing.T, c client.Client) {
	t.Helper()
	source := read(t, c, "operators.coreos.com/v1alpha1", "CatalogSource", "openshift-marketplace", "redhat-operators")
	if state := text(source, "status", "connectionState", "lastObservedState"); state != "TRANSIENT_FAILURE" &&
		state != "CONNECTING" {
		t.Errorf("the catalog's state is %q", state)
	}
	stuck := read(t, c, "v1", "Namespace", "", "metallb-system")
	if got := condition(stuck, "NamespaceFinalizersRemaining"); text(stuck, "status", "phase") != "Terminating" ||
		got != "True SomeFinalizersRemain" {
		t.Errorf("namespace metallb-system: phase %s, finalizers remaining %q", text(stuck, "status", "phase"), got)
	}
	read(t, c, "v1", "Namespace", "", "local-cluster")
	for _, name := range []string{"local-operator-group", "openshift-local-storage-x7f2k"} {
		eventually(t, 10*time.Second, func() error {
			group := read(t, c, "operators.coreos.com/v1", "OperatorGroup", "openshift-local-storage", name)
			return is(t, "True MultipleOperatorGroupsFound", condition(group, "MultipleOperatorGroup"))
		})
	}
	if got := defaultClasses(t, c); fmt.Sprint(got) != "[lvms-vg1]" {
		t.Errorf("default classes: %v", got)
	}
	nodes := &corev1.NodeList{}
	if err := c.List(t.Context(), nodes); err != nil {
		t.Fatal(err)
	}
	for _, n := range nodes.Items {
		if disks := n.Annotations["sandbox.hcctl.dev/disks"]; strings.Contains(disks, `"Available"`) ||
			!strings.Contains(disks, `"state"`) {
			t.Errorf("node %s has empty disks: %s", n.Name, disks)
		}
	}
}

// checkSlowIngress changes the IngressController. The routers restart one after another, over a minute at speed 1.
func checkSlowIngress(t *testing.T, c client.Client) {
	t.Helper()
	key := named("operator.openshift.io/v1", "IngressController", "openshift-ingress-operator", "default")
	began := time.Now()
	if err := c.Patch(t.Context(), key, client.RawPatch("application/merge-patch+json",
		[]byte(`{"spec":{"routeAdmission":{"wildcardPolicy":"WildcardsAllowed"}}}`))); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"0 out of 2 new replica(s)", "1 out of 2 new replica(s)",
		"Deployment is not actively rolling out"} {
		eventually(t, 20*time.Second, func() error {
			o := read(t, c, key.GetAPIVersion(), key.GetKind(), key.GetNamespace(), key.GetName())
			if got := fmt.Sprint(o.Object["status"]); !strings.Contains(got, want) {
				return fmt.Errorf("no %q in %s", want, got)
			}
			return nil
		})
	}
	if took := time.Since(began); took < 2*time.Second {
		t.Errorf("the routers were replaced in %s, want 3s at this speed", took)
	}
}

// subscribe installs a package. Without targets the namespace must have an OperatorGroup.
func subscribe(t *testing.T, c client.Client, namespace, pkg string, targets []any) {
	t.Helper()
	subscription := named("operators.coreos.com/v1alpha1", "Subscription", namespace, pkg)
	subscription.Object["spec"] = map[string]any{"name": pkg, "source": "redhat-operators",
		"sourceNamespace": "openshift-marketplace"}
	objects := []client.Object{subscription}
	if targets != nil {
		group := named("operators.coreos.com/v1", "OperatorGroup", namespace, namespace)
		group.Object["spec"] = map[string]any{"targetNamespaces": targets}
		objects = []client.Object{&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, group, subscription}
	}
	for _, o := range objects {
		eventually(t, 30*time.Second, func() error { return client.IgnoreAlreadyExists(c.Create(t.Context(), o)) })
	}
}

// checkLateEngine creates a MultiClusterEngine, which becomes Available although its CRDs come late and a namespace is
// in its way.
func checkLateEngine(t *testing.T, c client.Client) {
	t.Helper()
	engine := newEngine()
	eventually(t, 60*time.Second, func() error { return c.Create(t.Context(), engine.DeepCopy()) })
	began := time.Now()
	eventually(t, 60*time.Second, func() error {
		return c.Get(t.Context(), client.ObjectKey{Name: "managedclusters.cluster.open-cluster-management.io"},
			named("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", ""))
	})
	if took := time.Since(began); took < 2*time.Second {
		t.Errorf("the CRDs came after %s, want 3s and more at this speed", took)
	}
	eventually(t, 30*time.Second, func() error {
		o := read(t, c, engine.GetAPIVersion(), engine.GetKind(), "", engine.GetName())
		// What the engine says while another namespace is in the way (contracts/mce.yaml).
		if got := fmt.Sprint(o.Object["status"]); !strings.Contains(got, "No conditions available name:local-cluster") {
			return errors.New(got)
		}
		return nil
	})
}

func newEngine() *unstructured.Unstructured {
	return named("multicluster.openshift.io/v1", "MultiClusterEngine", "", "multiclusterengine")
}

// awaitRefusal returns once the webhook of multicluster-engine refuses connections, which lasts 3 s at this speed.
// Before the operator starts, the API server accepts everything.
func awaitRefusal(ctx context.Context, c client.Client) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		err := c.Create(ctx, newEngine(), client.DryRunAll)
		if err != nil && strings.Contains(err.Error(), "failed calling webhook") &&
			strings.Contains(err.Error(), "connection refused") {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(errors.New("the webhook has not refused connections"), err)
		case <-tick.C:
		}
	}
}

// only checks the phase of the one object of an OLM kind in a namespace, and further fields in pairs of path and value.
func only(t *testing.T, c client.Client, kind, namespace, want string, further ...string) error {
	t.Helper()
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(named("operators.coreos.com/v1alpha1", kind+"List", "", "").GroupVersionKind())
	if err := c.List(t.Context(), list, client.InNamespace(namespace)); err != nil {
		return err
	}
	var got []string
	for i := range list.Items {
		o := &list.Items[i]
		if o.GetLabels()["olm.copiedFrom"] == "" {
			got = append(got, strings.TrimSpace(text(o, "status", "phase")+" "+text(o, further...)))
		}
	}
	if len(got) != 1 || got[0] != want {
		return fmt.Errorf("%s in %s: %q, want %q", kind, namespace, got, want)
	}
	return nil
}
