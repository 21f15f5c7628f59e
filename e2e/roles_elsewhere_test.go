package e2e

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"testing"
)

// elsewhere are rights that TestRoles does not use: TestRolesElsewhere uses them in other clusters, or the audit log
// cannot show their use. Each is a regular expression for "VERB RESOURCE NAME".
var elsewhere = []struct{ world, rights string }{
	{"old", `^(create|get|patch) storagesystems\.odf\.openshift\.io ocs-storagecluster-storagesystem$`},
	{"old", `^create managedclusteraddons\.addon\.open-cluster-management\.io$`},
	{"old", `^(get|delete) managedclusteraddons\.addon\.open-cluster-management\.io hypershift-addon$`},
	{"old", `^patch storageclasses\.storage\.k8s\.io$`},
	{"old", `^(get|delete) storagesystems\.odf\.openshift\.io ocs-storagecluster-storagesystem$`},
	{"old", `^(get|patch) storageclasses\.storage\.k8s\.io$`},
	{"pinned", `^(get|patch) installplans\.operators\.coreos\.com$`},
	{"mirrored", `^get images\.config\.openshift\.io cluster$`},
	{"mirrored", `^get configmaps$`},
	{"mirrored", `^(list|watch) configmaps trusted-ca$`},
	{"catalog", `^list catalogsources\.operators\.coreos\.com$`},
	{"drained", `^(list|watch) poddisruptionbudgets\.policy$`},
	{"announced", `^list (services|bgppeers\.metallb\.io)$`},
	// These are installed only if a user asks for them.
	{"lvms", `^delete namespaces openshift-lvm-storage$`},
	{"lvms", `^create lvmclusters\.lvm\.topolvm\.io lvmcluster$`},
	{"lvms", `^patch namespaces openshift-lvm-storage$`},
	{"lvms", `^delete lvmclusters\.lvm\.topolvm\.io lvmcluster$`},
	{"hostpath", `^(create|delete) hostpathprovisioners\.hostpathprovisioner\.kubevirt\.io hostpath-provisioner$`},
	{"hostpath", `^(create|delete) storageclasses\.storage\.k8s\.io hostpath-csi$`},
	{"hostpath", `^(list|watch) hostpathprovisioners\.hostpathprovisioner\.kubevirt\.io$`},
	{"community", `^delete namespaces kubevirt-hyperconverged$`},
	// TestRoles does not want the group gitops, and hub-of-acm.txtar removes it.
	{"", `^delete namespaces openshift-gitops-operator$`},
	{"manifests", `^create customresourcedefinitions\.apiextensions\.k8s\.io$`},
	{"manifests", `^create deployments\.apps$`},
	{"manifests", `^create clusterroles\.rbac\.authorization\.k8s\.io$`},
	// Multicluster engine before 2.2 does not import its own cluster, and no sandbox has such an old one. Later
	// versions import it while bootstrap waits, so bootstrap only sometimes looks for a ManagedCluster of that name.
	{"", `^(create|get|delete) managedclusters\.cluster\.open-cluster-management\.io( local-cluster)?$`},
	// Open Cluster Management's webhook checks this right with its own SubjectAccessReview.
	// Import, set and addons of --managed-cluster, and why a cluster does not join: script delete, and unit tests.
	{"", `^(get|list|watch|create|patch) (managedclusters|managedclustersets|managedclustersets/join|managedclusteraddons|` +
		`addondeploymentconfigs|klusterletaddonconfigs|multiclusterengines|certificatesigningrequests)\.`},
	// Scores from what a site has counted, and prerequisites of all sites: scripts hub-sites and hub-bootstrap.
	{"", `^(get|list|watch|create|patch|delete) (addonplacementscores(/status)?\.cluster|manifestworkreplicasets\.work)\.` +
		`open-cluster-management\.io$`},
	{"", `^update managedclusters/accept\.register\.open-cluster-management\.io$`},
	// hub-of-acm.txtar turns a component on in a hub.
	{"", `^patch multiclusterhubs\.operator\.open-cluster-management\.io$`},
	// No sandbox has a console: a test of pkg/prereqs/storage shows what is written there.
	{"", `^patch consoles\.operator\.openshift\.io cluster$`},
	// status and wait read them of a control plane that is not available: a test of pkg/hostedcluster/status shows that.
	{"", `^(list|watch) controlplanecomponents\.hypershift\.openshift\.io$`},
	// status and wait read them of a cluster that is being deleted: tests of pkg/hostedcluster/status and
	// pkg/hostedcluster/deletion show what is read.
	{"", `^get (namespaces|hostedcontrolplanes\.hypershift\.openshift\.io|deployments\.apps (operator|control-plane-operator))$`},
	{"", `^list persistentvolumeclaims$`},
	// Read only below what is not well: scripts operators-say-why, local-storage-wrong and no-address, and e2e/diagnosis,
	// show it.
	{"", `^list (events|endpointslices\.discovery\.k8s\.io|routes\.route\.openshift\.io|datavolumes\.cdi\.kubevirt\.io|` +
		`virtualmachineinstancemigrations\.kubevirt\.io|configurationstates\.metallb\.io)$`},
	// Read only where credentials are missing, and where no node runs a class's driver: tests of pkg/prereqs/cluster and
	// pkg/prereqs/internal/provisioner show it.
	{"", `^(get|list|watch) (operatorhubs\.config\.openshift\.io cluster|csidrivers\.storage\.k8s\.io)$`},
	// No sandbox counts requests: a test of pkg/management/update shows what is read of these.
	{"", `^list apirequestcounts\.apiserver\.openshift\.io$`},
	// No sandbox has the newer Operator Lifecycle Manager: a test of pkg/prereqs/multicluster shows what is read.
	{"", `^list clusterextensions\.olm\.operatorframework\.io$`},
	// No sandbox has OADP: a test of pkg/hostedcluster/backup/oadp shows what is read.
	{"", `^list dataprotectionapplications\.oadp\.openshift\.io$`},
	// check reads them only while a class is not there yet: a test of pkg/prereqs/storage shows that.
	{"", `^(list|watch) storage(consumers|clients)\.ocs\.openshift\.io$`},
	// Secrets that few options of create make: those of --audit-webhook, and of an external infrastructure cluster.
	{"", `^(get|list|watch|delete|patch) secrets kv-00-(audit-webhook|infra-credentials)$`},
	// A restore that begins looks for the first of them, which is missing, creates all and watches them; one that goes on
	// looks for each.
	{"", `^get secrets (kv-00-(pull-secret|ssh-key)|kubeadmin-password)$`},
	// The simulated control plane has root-ca and kubeadmin-password only; the others are read as these are.
	{"", `^(get|list|watch) secrets ([a-z-]+-signer(-ca)?|sa-signing-key)$`},
	// etcd of a small control plane has one member: a test of pkg/hostedcluster/backup/restore shows how the volumes of
	// others go.
	{"", `^delete persistentvolumeclaims$`},
	// Only clusters with a CA bundle, or pools with a configuration, name ConfigMaps: a test of
	// pkg/hostedcluster/backup/restore shows how one is created.
	{"", `^(create|list|watch) configmaps$`},
	// API servers of Kubernetes 1.35 and later ask for it besides get, which the audit log does not show; and a proxy
	// that takes no WebSocket gets a POST.
	{"", `^create pods/(exec|portforward)$`},
	// HyperShift's operator owns them, and they go with the HostedCluster. Where it is away, hcctl deletes them: a test of
	// pkg/hostedcluster/deletion shows that.
	{"", `^delete secrets( kv-00-(etcd-encryption-key|pull-secret|ssh-key))?$`},
	// Only an earlier hcctl made a LocalVolumeSet: a test of pkg/prereqs/storage shows how it is removed.
	{"", `^(get|delete) localvolumesets\.local\.storage\.openshift\.io localblock$`},
	// A check while an operator is being installed; bootstrap watches it instead.
	{"", `^get installplans\.operators\.coreos\.com$`},
	// The authority of Dex's certificate is renewed after years: a test of pkg/hostedcluster/services/identity shows that.
	{"", `^patch secrets dex-keys$`},
	// The rights to watch are compared with the reads, and TestRoles does not read these.
	{
		"",
		`^(list|watch) (images\.config\.openshift\.io cluster|catalogsources\.operators\.coreos\.com|services|` +
			`nodenetworkstates\.nmstate\.io|(bgppeers|configurationstates)\.metallb\.io|installplans\.operators\.coreos\.com)$`,
	},
}

// ofOtherProbes are rights that probes do not need where all is well. Script probe-ways shows why a volume is not bound
// (events, claims), disconnected writes mirrors and certificates (ConfigMaps). A heartbeat (patch) comes after three
// seconds, which a quick probe does not take. Only OpenShift's own API server asks for the right to set a Route's host.
var ofOtherProbes = regexp.MustCompile(`^(list events|get persistentvolumeclaims|create configmaps|patch namespaces|` +
	`create routes/custom-host\.route\.openshift\.io)$`)

// ofBareClusters are rights that a check needs only where operators are missing: the checker of a bare cluster does.
var ofBareClusters = regexp.MustCompile(
	`^list (operatorgroups\.operators\.coreos\.com|packagemanifests\.packages\.operators\.coreos\.com)$`)

// shownElsewhere returns the expression that excludes a right, or "".
func shownElsewhere(r right) string {
	for _, e := range elsewhere {
		if regexp.MustCompile(e.rights).MatchString(r.String()) {
			return e.rights
		}
	}
	return ""
}

// TestRolesElsewhere uses the rights that TestRoles does not need, each in its own cluster, as users without other
// rights.
func TestRolesElsewhere(t *testing.T) {
	s := settingsFor(t)
	if s.kubeconfig != "" || !s.all {
		t.Skip("make test-all runs it: it takes several sandboxes")
	}
	addresses := (&harness{settings: s}).addresses()
	for world, tc := range map[string]struct {
		flags []string
		act   func(*stage)
	}{
		"old": {[]string{"--profile", "ocp-4.12"}, func(st *stage) {
			st.person("installer", "bootstrap").runs(0, "bootstrap", "--yes", "--metallb-range", addresses)
			st.person("remover", "uninstall").runs(0, "uninstall", "--include-storage", "--yes")
		}},
		"pinned": {[]string{"--profile", "ocp-4.20"}, func(st *stage) {
			st.write("pinned.yaml", "apiVersion: hcctl.dev/v1alpha1\nkind: Bootstrap\n"+
				"operators: {metallb-operator: {startingCSV: metallb-operator.v4.20.0-202510212154}}\n")
			p := st.person("installer", "bootstrap", "-f", st.path("pinned.yaml"))
			p.runs(0, "bootstrap", "--yes", "--only", "load-balancer/operator", "-f", "pinned.yaml")
			p.runs(0, "check", "--only", "load-balancer/operator", "-f", "pinned.yaml")
		}},
		"mirrored": {[]string{"--profile", "disconnected-mirrored"}, func(st *stage) {
			st.person("checker", "check").runs(3, "check")
			st.person("prober", "probe").runs(0, "check", "--only", "ingress/published", "--probe=pull")
		}},
		"drained": {[]string{"--profile", "ready"}, func(st *stage) {
			meta := func(name string) map[string]any {
				return map[string]any{"name": name, "namespace": "default", "labels": map[string]any{"app": "held"}}
			}
			for _, o := range []map[string]any{
				{"apiVersion": "v1", "kind": "Pod", "metadata": meta("held"), "spec": map[string]any{"nodeName": "worker-0",
					"containers": []any{map[string]any{"name": "main", "image": "registry.example.com/app"}}}},
				{"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": meta("tight"), "spec": map[string]any{
					"minAvailable": int64(1), "selector": map[string]any{"matchLabels": map[string]any{"app": "held"}}}},
			} {
				if err := st.create(o); err != nil {
					st.t.Fatal(err)
				}
			}
			if err := os.Mkdir(st.path("resources"), 0o700); err != nil {
				st.t.Fatal(err)
			}
			st.write("resources/itms.yaml", "apiVersion: config.openshift.io/v1\nkind: ImageTagMirrorSet\n"+
				"metadata: {name: itms-generic-0}\nspec: {imageTagMirrors: [{source: quay.io/tags, "+
				"mirrors: [registry.example.com:5000/tags]}]}\n")
			st.write("mirrors.yaml", "apiVersion: hcctl.dev/v1alpha1\nkind: Bootstrap\nonly: [cluster/mirrors]\n"+
				"mirrors: {resources: resources}\n")
			p := st.person("installer", "bootstrap", "-f", st.path("mirrors.yaml"))
			p.runs(5, "bootstrap", "--yes", "-f", "mirrors.yaml", "--trouble-timeout", "5s")
		}},
		"catalog": {[]string{"--profile", "ocp-4.20", "--fault", "package-missing"}, func(st *stage) {
			st.person("checker", "check").runs(3, "check")
		}},
		"announced": {[]string{"--profile", "ready"}, func(st *stage) {
			err := st.create(map[string]any{
				"apiVersion": "metallb.io/v1beta1", "kind": "BGPAdvertisement",
				"metadata": map[string]any{"name": "lab", "namespace": "metallb-system"}, "spec": map[string]any{},
			})
			if err != nil {
				st.t.Fatal(err)
			}
			p := st.person("checker", "check")
			p.runs(3, "check")
			p.runs(3, "check", "--load-balancer", "existing")
		}},
		"lvms": {[]string{"--profile", "ocp-4.20"}, func(st *stage) {
			st.person("installer", "bootstrap", "--storage", "lvms").
				runs(0, "bootstrap", "--yes", "--only", "storage", "--storage", "lvms")
			st.person("remover", "uninstall", "--storage", "lvms").runs(0, "uninstall", "--include-storage", "--yes")
		}},
		"hostpath": {[]string{"--profile", "ocp-4.20"}, func(st *stage) {
			st.person("installer", "bootstrap", "--storage", "hostpath").
				runs(0, "bootstrap", "--yes", "--only", "virtualization,storage", "--storage", "hostpath")
			st.person("remover", "uninstall", "--storage", "hostpath").runs(0, "uninstall", "--include-storage", "--yes")
		}},
		"community": {[]string{"--profile", "ocp-4.20"}, func(st *stage) {
			st.person("installer", "bootstrap", "--virtualization-source", "community").
				runs(0, "bootstrap", "--yes", "--only", "virtualization", "--virtualization-source", "community")
			st.person("remover", "uninstall", "--virtualization-source", "community").runs(0, "uninstall", "--yes")
		}},
		"manifests": {[]string{"--profile", "no-olm"}, func(st *stage) {
			directory := st.path("directory")
			manifests := exec.CommandContext(st.t.Context(), s.sandboxProgram,
				"manifests", "virtualization", "--dir", directory, "--profile", "no-olm")
			if out, err := manifests.CombinedOutput(); err != nil {
				st.t.Fatalf("%v: %s", err, out)
			}
			st.person("installer", "bootstrap", "--virtualization-manifests", directory).
				runs(0, "bootstrap", "--yes", "--only", "virtualization", "--virtualization-manifests", directory)
		}},
		"acm": {[]string{"--profile", "acm"}, func(st *stage) {
			p := st.person("installer", "bootstrap")
			p.runs(0, "bootstrap", "--yes", "--only", "multicluster,hypershift")
			p.runs(0, "check", "--only", "multicluster,hypershift")
			const csv = "openshift-gitops-operator.v1.18.0"
			st.write("gitops.yaml", "apiVersion: hcctl.dev/v1alpha1\nkind: Bootstrap\nwith: [gitops]\n"+
				"operators: {openshift-gitops-operator: {startingCSV: "+csv+"}}\n")
			g := st.person("deliverer", "bootstrap", "-f", st.path("gitops.yaml"))
			g.runs(0, "bootstrap", "--yes", "--only", "gitops", "-f", "gitops.yaml")
			g.runs(0, "check", "--only", "gitops", "-f", "gitops.yaml")
			st.person("onlooker", "gitops-status").runs(0, "gitops", "status")
			st.person("approver", "gitops-approve", "--namespace", "openshift-gitops-operator").runs(0, "gitops", "approve", csv,
				"--subscription", "openshift-gitops-operator", "--namespace", "openshift-gitops-operator", "--yes")
			st.person("remover", "uninstall", "--with", "gitops").runs(0, "uninstall", "--yes")
		}},
	} {
		t.Run(world, func(t *testing.T) {
			st := newStage(t, s, tc.flags...)
			tc.act(st)
			requests := st.judge(optionalRead, func(*person, right) bool { return true })
			for _, e := range elsewhere {
				if e.world != world {
					continue
				}
				used := false
				for _, p := range st.people {
					used = used || slices.ContainsFunc(rightsOf(p.rules), func(r right) bool {
						return regexp.MustCompile(e.rights).MatchString(r.String()) && r.usedIn(requests)
					})
				}
				if !used {
					t.Errorf("no request needed any right of %s", e.rights)
				}
			}
		})
	}
}
