package deletion

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// A deletion that cannot see all that it must know does not begin.
func TestWhatMustBeReadable(t *testing.T) {
	for request, words := range map[string]string{
		"get " + hostedClusterPath:      "HostedCluster clusters/kv-00: ",
		"get " + hostedtest.PoolsPath:   "list NodePools in namespace clusters: ",
		"get " + namespacePath:          "read Namespace clusters-kv-00: ",
		"get " + hostedPath:             "list HostedControlPlanes in namespace clusters-kv-00: ",
		"get " + managedPath:            "ManagedCluster kv-00: not allowed: ",
		"get " + hostedtest.MapsPath:    "list Secrets and ConfigMaps in namespace clusters: ",
		"get " + hostedtest.AllPath:     "",
		"get /api":                      "look for what hcctl made: ",
		"get " + hostedtest.SecretsPath: "",
	} {
		w := world(t)
		w.Forbid(request)
		d, err := Prepare(t.Context(), w.Client, "clusters", "kv-00", Defaults())
		if words == "" {
			if err != nil || len(d.Left) == 0 {
				t.Errorf("%s: %v; it continues without", request, err)
			}
			continue
		}
		if err == nil || !strings.HasPrefix(err.Error(), words) {
			t.Errorf("%s: %v, want %s", request, err, words)
		}
	}
	w := world(t)
	w.Refuse("get "+managedPath, http.StatusBadRequest)
	_, err := Prepare(t.Context(), w.Client, "clusters", "kv-00", Defaults())
	var forbidden *unreadManagedClusterError
	if err == nil || errors.As(err, &forbidden) || !strings.HasPrefix(err.Error(), "ManagedCluster kv-00: ") {
		t.Errorf("%v", err)
	}
	w.Allow()
	w.Forbid("get " + managedPath)
	_, err = Prepare(t.Context(), w.Client, "clusters", "kv-00", Defaults())
	if !errors.As(err, &forbidden) || !strings.Contains(forbidden.Hint().String(), "--keep-managed-cluster") {
		t.Errorf("%v", err)
	}
	prepared(t, w, func(o *Options) { o.KeepManagedCluster = true })
	w = world(t)
	w.Refuse("get "+hostedtest.AllAddressPoolsPath, http.StatusBadRequest)
	if _, err = Prepare(t.Context(), w.Client, "clusters", "kv-00", Defaults()); err == nil ||
		!strings.HasPrefix(err.Error(), "list IPAddressPools: ") {
		t.Errorf("%v", err)
	}
	w = world(t)
	w.Refuse("get "+hostedtest.AllPath, http.StatusBadRequest)
	if _, err = Prepare(t.Context(), w.Client, "clusters", "kv-00", Defaults()); err == nil ||
		!strings.HasPrefix(err.Error(), "list HostedClusters: ") {
		t.Errorf("%v", err)
	}
}

// What stays because it cannot be read, or is not proven to be the cluster's, is named.
func TestWhatIsLeft(t *testing.T) {
	const infra = hostedcluster.InfraLabel
	labelled := hostedtest.Object{infra: "kv-00-abcde", kube.ManagedByLabel: kube.FieldOwner}
	for name, tc := range map[string]struct {
		change func(*hostedtest.World)
		want   string
	}{
		"pools of addresses": {func(w *hostedtest.World) { w.Forbid("get /apis/metallb.io/*") },
			"IPAddressPools that may serve it (--metallb-pool): not allowed: "},
		"Secrets of other names": {func(w *hostedtest.World) { w.Forbid("get " + hostedtest.SecretsPath) },
			"Secrets of namespace clusters that were made for it under names of their own: "},
		"kinds that cannot be listed": {func(w *hostedtest.World) { w.Forbid("get /api/v1/services") },
			"what hcctl may have made for it of kinds that cannot be listed: services: not allowed: "},
		"Secrets that cannot be listed": {func(w *hostedtest.World) { w.Forbid("get /api/v1/secrets") },
			"what hcctl may have made for it of kinds that cannot be listed: secrets: not allowed: "},
		"others that cannot be listed": {func(w *hostedtest.World) { w.Forbid("get " + hostedtest.AllPath) },
			"what has no full mark of this HostedCluster, since it cannot be known whether another one has its infraID: "},
		"a Secret without a mark": {func(w *hostedtest.World) {
			w.Set("Secret", object(hostedtest.MetaOf("clusters", "backup", labelled)))
		}, "Secret clusters/backup: it has the label of the infraID, but no mark of this HostedCluster"},
		"a Secret of another": {func(w *hostedtest.World) {
			w.Set("Secret", object(hostedtest.MetaOf("clusters", "x", labelled),
				annotated(hostedcluster.ClusterAnnotation, "team/x")))
		}, `Secret clusters/x: it is marked as that of HostedCluster "team/x"`},
		"a Secret of an earlier one": {func(w *hostedtest.World) {
			w.Set("Secret", object(hostedtest.MetaOf("clusters", "x", labelled), annotated(hostedcluster.ClusterAnnotation,
				"clusters/kv-00", hostedcluster.ClusterUIDAnnotation, "earlier")))
		}, "Secret clusters/x: it was made for another HostedCluster of this name"},
		"a copied label elsewhere": {func(w *hostedtest.World) {
			w.Set("Service", object(hostedtest.MetaOf("team", "x", labelled)))
		}, "Service team/x: it has the label of the infraID, but no mark of this HostedCluster"},
		"somebody's ManagedCluster": {func(w *hostedtest.World) {
			w.Set("ManagedCluster", imported(annotated("a", "b")))
		}, "ManagedCluster kv-00: the hypershift addon did not import it"},
	} {
		t.Run(name, func(t *testing.T) {
			w := world(t)
			tc.change(w)
			d := prepared(t, w)
			if len(d.Left) == 0 || !strings.HasPrefix(d.Left[0], tc.want) || len(d.Left) > 2 {
				t.Errorf("%q, want %s", d.Left, tc.want)
			}
		})
	}
	w := world(t)
	w.Set("Service", object(hostedtest.MetaOf("team", "x", labelled), annotated(hostedcluster.ClusterAnnotation, "team/x")))
	if d := prepared(t, w); len(d.Left) > 0 || len(d.Found) != 3 {
		t.Errorf("another's object elsewhere is of no interest: %q, %q", d.Found, d.Left)
	}
}

// Argo CD's Secret has the mark of the cluster that it is for, and goes with it.
func TestArgoCDForgetsADeletedCluster(t *testing.T) {
	const secret = "Secret openshift-gitops/hosted-cluster-clusters.kv-00"
	w := world(t)
	w.Set("Secret", made("openshift-gitops", "hosted-cluster-clusters.kv-00"))
	if d := prepared(t, w); !slices.Contains(d.Outside, secret) || len(d.Left) > 0 {
		t.Errorf("outside %q, left %q", d.Outside, d.Left)
	}
	w.Forbid("get /api/v1/secrets")
	if d := prepared(t, w); len(d.Left) != 1 ||
		!strings.HasSuffix(d.Left[0], "; if Argo CD knows it: hcctl gitops register kv-00 --namespace clusters --remove") {
		t.Errorf("left %q", d.Left)
	}
}

func TestWhatIsLost(t *testing.T) {
	claim := func(name, size string) hostedtest.Object {
		return object(hostedtest.MetaOf("clusters-kv-00", name, nil), with("spec", hostedtest.Object{
			"resources": hostedtest.Object{"requests": hostedtest.Object{"storage": size}}}))
	}
	w := world(t)
	w.Set("VirtualMachine", object(hostedtest.MetaOf("clusters-kv-00", "w-1", nil)))
	w.Set("PersistentVolumeClaim", claim("a", "8Gi"), claim("b", "512Mi"))
	if diff := cmp.Diff([]string{"1 worker VM", "2 volumes of 8704Mi in all"}, prepared(t, w).Lost); diff != "" {
		t.Error(diff)
	}
	w.Forbid("get /apis/kubevirt.io/*")
	w.Forbid("get /api/v1/namespaces/clusters-kv-00/persistentvolumeclaims")
	lost := prepared(t, w).Lost
	if len(lost) != 2 || !strings.HasPrefix(lost[0], "worker VMs (how many cannot be read: not allowed: ") ||
		!strings.HasPrefix(lost[1], "volumes (how many cannot be read: not allowed: ") {
		t.Errorf("%q", lost)
	}
	w = world(t)
	w.Remove("VirtualMachine")
	if lost := prepared(t, w).Lost; len(lost) > 0 {
		t.Errorf("%q", lost)
	}
}

// Where the HostedCluster is gone, what is left tells its infraID.
func TestTheInfraIDOfWhatIsLeft(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*hostedtest.World)
		want   string
	}{
		"a NodePool": {func(w *hostedtest.World) { w.Set("NodePool", pool("kv-00")) }, "kv-00-abcde"},
		"the second NodePool": {func(w *hostedtest.World) {
			w.Set("NodePool", pool("a", withMeta("labels", nil)), pool("b"))
		}, "kv-00-abcde"},
		"the control plane": {func(w *hostedtest.World) {
			w.Set("Namespace", planeNamespace())
			w.Set("HostedControlPlane", controlPlane())
		}, "kv-00-abcde"},
		"a Secret": {func(w *hostedtest.World) { w.Set("Secret", made("clusters", "kv-00-ssh-key")) }, "kv-00-abcde"},
		"a namespace in deletion": {func(w *hostedtest.World) {
			w.Set("Namespace", planeNamespace(goesSince(0)))
			w.Set("ConfigMap", made("clusters", "kv-00-user-ca-bundle"))
		}, "kv-00-abcde"},
		"nothing": {func(w *hostedtest.World) { w.Set("Namespace", planeNamespace(goesSince(0))) }, ""},
	} {
		w := hostedtest.NewWorld(t)
		tc.change(w)
		if d := prepared(t, w); d.InfraID != tc.want {
			t.Errorf("%s: %q, want %q", name, d.InfraID, tc.want)
		}
	}
	w := hostedtest.NewWorld(t)
	w.Set("Namespace", planeNamespace())
	w.Set("HostedControlPlane", controlPlane())
	w.Forbid("get " + hostedPath + "/kv-00")
	if _, err := Prepare(t.Context(), w.Client, "clusters", "kv-00", Defaults()); err == nil ||
		!strings.HasPrefix(err.Error(), "read HostedControlPlane clusters-kv-00/kv-00: ") {
		t.Errorf("%v", err)
	}
	w = hostedtest.NewWorld(t)
	w.Set("NodePool", pool("kv-00", withMeta("labels", nil)))
	w.Forbid("get " + hostedtest.MapsPath)
	if _, err := Prepare(t.Context(), w.Client, "clusters", "kv-00", Defaults()); err == nil ||
		!strings.HasPrefix(err.Error(), "list Secrets and ConfigMaps in namespace clusters: ") {
		t.Errorf("%v", err)
	}
	// One that is given has to be that of the HostedCluster.
	_, err := Prepare(t.Context(), world(t).Client, "clusters", "kv-00", Options{InfraID: "another"})
	if err == nil || !strings.Contains(err.Error(), "HostedCluster clusters/kv-00 has spec.infraID kv-00-abcde") {
		t.Errorf("%v", err)
	}
	if d := prepared(t, world(t), func(o *Options) { o.InfraID = "kv-00-abcde" }); d.InfraID != "kv-00-abcde" {
		t.Errorf("%q", d.InfraID)
	}
}

// A control plane is the cluster's own by what is in its namespace.
func TestWhoseTheControlPlaneIs(t *testing.T) {
	capi := func(of string) hostedtest.Object {
		return object(hostedtest.MetaOf("clusters-kv-00", "c", nil), annotated(hostedcluster.OwnerAnnotation, of))
	}
	const unknown = "it is a control plane's, but nothing in it shows that it belongs to clusters/kv-00"
	for name, tc := range map[string]struct {
		change func(*hostedtest.World)
		left   string
	}{
		"its HostedControlPlane": {func(w *hostedtest.World) { w.Set("HostedControlPlane", controlPlane()) }, ""},
		"one of its name": {func(w *hostedtest.World) {
			w.Set("HostedControlPlane", controlPlane(withMeta("annotations", nil)))
		}, ""},
		"one of another name": {func(w *hostedtest.World) {
			w.Set("HostedControlPlane", controlPlane(withMeta("annotations", nil), withMeta("name", "x")))
		}, "it holds the control plane of HostedCluster named x"},
		"of Cluster API":          {func(w *hostedtest.World) { w.Set("Cluster", capi("clusters/kv-00")) }, ""},
		"of another, Cluster API": {func(w *hostedtest.World) { w.Set("Cluster", capi("clusters/x")) }, unknown},
		"neither":                 {func(*hostedtest.World) {}, unknown},
		"no kind":                 {func(w *hostedtest.World) { w.Remove("HostedControlPlane"); w.Remove("Cluster") }, unknown},
		"no label": {func(w *hostedtest.World) { w.Set("Namespace", planeNamespace(withMeta("labels", nil))) },
			"it is not a control plane's (it has no label hypershift.openshift.io/hosted-control-plane)"},
	} {
		w := hostedtest.NewWorld(t)
		w.Set("Namespace", planeNamespace())
		w.Set("Secret", made("clusters", "kv-00-ssh-key"))
		tc.change(w)
		d := prepared(t, w)
		found := slices.Contains(d.Found, "Namespace clusters-kv-00")
		if found != (tc.left == "") || tc.left != "" && !slices.Contains(d.Left, "Namespace clusters-kv-00: "+tc.left) {
			t.Errorf("%s: found %v, left %q", name, d.Found, d.Left)
		}
		if tc.left != "" {
			// What is not its own is neither waited for nor deleted.
			w.Set("VirtualMachine", object(hostedtest.MetaOf("clusters-kv-00", "w-1", nil)))
			expect(t, d, controlPlaneGoneStep, step.StateOK, "gone")
			does(t, d, controlPlaneGoneStep, step.Unchanged)
			if d := prepared(t, w); len(d.Lost) > 0 {
				t.Errorf("%s: lost %q", name, d.Lost)
			}
		}
	}
}

// A namespace that a killed create has left is found where nothing else is.
func TestAnEmptyNamespaceIsFound(t *testing.T) {
	w := hostedtest.NewWorld(t)
	w.Set("Namespace", ownNamespace())
	if d := prepared(t, w); !slices.Equal(d.Found, []string{"Namespace clusters"}) {
		t.Errorf("%q", d.Found)
	}
	w.Set("Namespace", ownNamespace(goesSince(0)))
	if d := prepared(t, w); !slices.Equal(d.Found, []string{"Namespace clusters"}) {
		t.Errorf("in deletion: %q", d.Found)
	}
	w.Set("Namespace", ownNamespace())
	for name, edit := range map[string]func(*Options){
		"keep namespace": func(o *Options) { o.KeepNamespace = true },
		"keep Secrets":   func(o *Options) { o.KeepSecrets = true },
	} {
		o := Defaults()
		edit(&o)
		var missing *hostedcluster.NotFoundError
		if _, err := Prepare(t.Context(), w.Client, "clusters", "kv-00", o); !errors.As(err, &missing) {
			t.Errorf("%s: %v", name, err)
		}
	}
	w.Set("Secret", object(hostedtest.MetaOf("clusters", "theirs", nil)))
	var missing *hostedcluster.NotFoundError
	if _, err := Prepare(t.Context(), w.Client, "clusters", "kv-00", Defaults()); !errors.As(err, &missing) {
		t.Errorf("not empty: %v", err)
	}
	w.Remove("HostedCluster")
	var uninstalled *hostedcluster.NotInstalledError
	if _, err := Prepare(t.Context(), w.Client, "clusters", "kv-00", Defaults()); !errors.As(err, &uninstalled) {
		t.Errorf("no HyperShift: %v", err)
	}
	w.Set("Secret", made("clusters", "kv-00-ssh-key"))
	if d := prepared(t, w); !slices.Equal(d.Found, []string{"Secret clusters/kv-00-ssh-key"}) {
		t.Errorf("no HyperShift: %q", d.Found)
	}
}

// What hcctl made is listed once for many deletions.
func TestCreatedObjectsOfSeveralClusters(t *testing.T) {
	w := world(t)
	w.Set("Service", made("metallb-system", "a"))
	created, err := Defaults().Together(t.Context(), w.Client, "clusters")
	if err != nil {
		t.Fatal(err)
	}
	w.Forbid("get /apis")
	w.Forbid("get " + hostedtest.AllPath)
	d := prepared(t, w, func(o *Options) { o.Created = created.Created })
	if !slices.Contains(d.Outside, "Service metallb-system/a") || len(d.Left) > 0 {
		t.Errorf("outside %q, left %q", d.Outside, d.Left)
	}
	if _, err := Defaults().Together(t.Context(), w.Client); err == nil ||
		!strings.HasPrefix(err.Error(), "look for what hcctl made: ") {
		t.Errorf("%v", err)
	}
	w.Allow()
	w.Refuse("get "+hostedtest.AllPath, http.StatusBadRequest)
	if _, err := Defaults().Together(t.Context(), w.Client); err == nil ||
		!strings.HasPrefix(err.Error(), "list HostedClusters: ") {
		t.Errorf("%v", err)
	}
	w.Allow()
	w.Forbid("get " + hostedtest.AllPath)
	w.Set("ManagedCluster", imported(withMeta("labels", nil)))
	created, err = Defaults().Together(t.Context(), w.Client, "clusters")
	if err != nil {
		t.Fatal(err)
	}
	d = prepared(t, w, func(o *Options) { o.Created = created.Created })
	if !slices.ContainsFunc(d.Left, func(s string) bool {
		return strings.Contains(s, "nothing proves that it is this cluster's")
	}) {
		t.Errorf("left %q", d.Left)
	}
}

// The names of ConfigMaps for nodes are those of its pools.
func TestConfigMapsOfItsPools(t *testing.T) {
	w := world(t)
	w.Set("NodePool", pool("more"))
	labels := hostedtest.Object{hostedcluster.InfraLabel: "kv-00-abcde"}
	for _, name := range []string{"kv-00-config-1", "more-config-2", "kv-00-user-ca-bundle", "user-ca-bundle",
		"other-config-1"} {
		w.Set("ConfigMap", object(hostedtest.MetaOf("clusters", name, labels)))
	}
	d := prepared(t, w)
	for _, name := range []string{"kv-00-config-1", "more-config-2", "kv-00-user-ca-bundle", "user-ca-bundle"} {
		if !slices.Contains(d.Found, "ConfigMap clusters/"+name) {
			t.Errorf("%s is not found: %q", name, d.Found)
		}
	}
	if len(d.Left) != 1 || !strings.HasPrefix(d.Left[0], "ConfigMap clusters/other-config-1: ") {
		t.Errorf("left %q", d.Left)
	}
	// Without any infraID only Secrets that hcctl wrote are its own.
	w = hostedtest.NewWorld(t)
	w.Set("Secret", object(hostedtest.MetaOf("clusters", "kv-00-ssh-key", nil)),
		object(hostedtest.MetaOf("clusters", "kv-00-pull-secret", hostedtest.Object{kube.ManagedByLabel: kube.FieldOwner})))
	w.Set("ConfigMap", object(hostedtest.MetaOf("clusters", "kv-00-user-ca-bundle", hostedtest.Object{
		kube.ManagedByLabel: kube.FieldOwner})))
	if d := prepared(t, w); !slices.Equal(d.Found, []string{"Secret clusters/kv-00-pull-secret"}) {
		t.Errorf("%q", d.Found)
	}
}
