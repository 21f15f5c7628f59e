package e2e

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/internal/audit"
)

// TestRoles lets users with only the rights that hcctl rbac prints go from a bare cluster to hosted clusters and back.
// No request may be refused, and every right must be needed.
func TestRoles(t *testing.T) {
	t.Parallel()
	s := settingsFor(t)
	if s.kubeconfig != "" {
		t.Skip(realKubeconfig + " is set: only a sandbox tells what it was asked")
	}
	rolesAreEnough(t, s)
}

func rolesAreEnough(t *testing.T, s settings) {
	t.Helper()
	st := newStage(t, s, s.hosting("ocp-4.20", 1)...)
	addresses := (&harness{settings: s}).addresses()
	checker := st.person("checker", "check")
	checker.runs(3, "check")
	checker.runs(0, "support")
	installer := st.person("installer", "bootstrap")
	installer.runs(0, "bootstrap", "--yes", "--metallb-range", addresses)
	installer.runs(0, "check")
	checker.runs(3, "check", "-o", "json")
	checker.runs(0, "check", "--skip", "cluster/permissions")
	st.person("prober", "probe").runs(0, "check", "--skip", "cluster/permissions", "--probe")

	clusters := map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "clusters"}}
	err := st.create(clusters)
	if err != nil {
		t.Fatal(err)
	}
	editor := st.person("editor", "editor", "--namespace", "clusters")
	viewer, looker := st.person("viewer", "viewer,login", "--namespace", "clusters"), st.person("looker", "viewer")
	told := editor.runs(3, "create", "cluster", "--name", "kv-09", "--version", "4.20.3", "--dry-run=server",
		"--additional-network", "name:default/none")
	if !strings.Contains(told, "NetworkAttachmentDefinition default/none: does not exist") {
		t.Errorf("a network that does not exist:\n%s", told)
	}
	editor.runs(0, "create", "cluster", "--name", "kv-00", "--version", "4.20.3", "--generate-ssh", "--wait", "none",
		"--yes")
	looker.runs(0, "wait", "cluster", "kv-00", "--for", "condition=Available")
	viewer.runs(0, "kubeconfig", "kv-00", "--wait", "--merge", "--file", "merged")
	viewer.runs(0, "wait", "cluster", "kv-00")
	looker.runs(0, "wait", "nodepool", "kv-00")
	editor.runs(0, "create", "cluster", "--name", "kv-00", "--version", "4.20.3", "--generate-ssh", "--yes")
	// Control planes have their namespaces once the clusters are there.
	tenant := st.person("tenant", "viewer,login", "--namespace", "clusters", "--cluster-name", "kv-00")
	for _, p := range []*person{viewer, tenant} {
		p.runs(0, "get", "clusters")
		p.runs(0, "get", "nodepools")
		p.runs(0, "get", "machines", "kv-00")
		p.runs(0, "status", "kv-00")
		p.runs(0, "events", "kv-00")
		p.runs(0, "describe", "cluster", "kv-00")
		p.runs(0, "wait", "cluster", "kv-00")
		p.runs(0, "wait", "nodepool", "kv-00")
		p.runs(0, "kubeconfig", "kv-00")
		p.runs(0, "exec", "kv-00", "--", "true")
		p.runs(0, "password", "kv-00")
	}
	looker.runs(0, "get", "clusters", "--all-namespaces")
	looker.runs(0, "events", "kv-00")
	outsider := st.person("outsider", "tunnel", "--namespace", "clusters", "--cluster-name", "kv-00")
	outsider.runs(0, "exec", "kv-00", "--through-management", "--", "true")
	outsider.runs(0, "password", "kv-00")
	outsider.runs(0, "wait", "cluster", "kv-00", "--for", "api")
	reader := st.person("reader", "logs", "--namespace", "clusters", "--cluster-name", "kv-00")
	reader.runs(0, "logs", "kv-00")
	reader.runs(0, "logs", "kv-00", "etcd", "--tail", "1")
	reader.runs(0, "logs", "kv-00", "hypershift-operator", "--tail", "1")
	operator := st.person("operator", "nodes", "--namespace", "clusters", "--cluster-name", "kv-00")
	if _, err := exec.LookPath("ssh"); err == nil {
		operator.runs(0, "ssh", "kv-00", "--", "true")
	}
	node, err := st.admin.first("virtualmachineinstances.kubevirt.io", "clusters-kv-00/*")
	if err != nil {
		t.Fatal(err)
	}
	// The machine's SSH server answers, and hangs up on what is no client.
	nobody := "SSH-2.0-nobody\r\n" + strings.Repeat("\xff", 64)
	if told := operator.types(nobody, 0, "ssh-proxy", node.GetName()+".clusters-kv-00", "22"); !strings.HasPrefix(told,
		"SSH-2.0-") {
		t.Errorf("behind port 22 there is %q", told)
	}
	operator.types("\x1d", 0, "console", "kv-00", node.GetName())
	editor.runs(0, "events", "kv-00")
	// Without the Secrets hcctl cannot ask the nodes, so their state is unknown, and unknown is not good.
	told = looker.runs(1, "status", "kv-00")
	if !strings.Contains(told, "hcctl rbac --for login --namespace clusters") {
		t.Errorf("status does not say what role would do:\n%s", told)
	}
	planner := st.person("planner", "maintenance")
	planner.runs(1, "upgrade", "management", "--plan", "--to", "4.20.8")
	planner.runs(0, "maintenance", "master-0", "--plan")
	dumper := st.person("dumper", "dump", "--namespace", "clusters", "--cluster-name", "kv-00")
	dumper.runs(0, "dump", "kv-00", "--journals=false", "--artifact-dir", "full")
	// Without the HostedCluster nobody has Roles in its namespaces.
	st.person("archivist", "dump", "--all-namespaces").runs(1, "dump", "kv-99", "--artifact-dir", "none")
	told = looker.runs(3, "dump", "kv-00", "--artifact-dir", "little")
	if !strings.Contains(told, "hcctl rbac --for dump --namespace clusters --cluster-name kv-00") {
		t.Errorf("dump does not say what role would do:\n%s", told)
	}

	saver := st.person("saver", "backup", "--namespace", "clusters", "--cluster-name", "kv-00")
	saver.runs(0, "backup", "kv-00", "--output-file", "kv.tar.gz")
	restorer := st.person("restorer", "restore", "--namespace", "clusters", "--cluster-name", "kv-00")
	restorer.runs(0, "restore", "kv.tar.gz", "--name", "kv-00", "--yes")
	// Right after a restore, condition Available may still be from before it.
	viewer.runs(0, "wait", "cluster", "kv-00")
	viewer.runs(0, "wait", "nodepool", "kv-00")
	looker.runs(0, "wait", "cluster", "kv-00", "--for", "condition=Available")

	st.registerActs()
	st.expiryActs(looker)

	metrics := st.person("watcher", "exporter", "--namespace", "clusters").exports("--namespace", "clusters")
	metrics.until(`hcctl_node_pool_nodes{cluster_namespace="clusters",name="kv-00",cluster="kv-00"} 2`)
	editor.runs(0, "scale", "nodepool", "kv-00", "--replicas", "3", "--yes")
	metrics.until(`hcctl_node_pool_desired_nodes{cluster_namespace="clusters",name="kv-00",cluster="kv-00"} 3`)
	metrics.ends()
	editor.runs(0, "update", "nodepool", "kv-00", "--node-labels", "tier=web", "--yes")
	editor.runs(0, "pause", "cluster", "kv-00", "--yes")
	editor.runs(0, "resume", "cluster", "kv-00", "--yes")
	editor.runs(0, "stop", "cluster", "kv-00", "--yes")
	editor.runs(0, "start", "cluster", "kv-00", "--yes")
	timer := st.person("timer", "schedule", "--namespace", "clusters")
	timer.runs(0, "stop", "cluster", "--selector", "!env", "--wait", "none", "--yes")
	timer.runs(0, "start", "cluster", "--selector", "!env", "--wait", "none", "--yes")
	editor.runs(0, "start", "cluster", "kv-00", "--yes")
	editor.runs(0, "upgrade", "cluster", "kv-00", "--version", "4.20.8", "--yes")
	editor.runs(0, "create", "nodepool", "extra", "--cluster-name", "kv-00", "--replicas", "1")
	editor.runs(0, "delete", "nodepool", "extra", "--yes")
	// What has expired is deleted, and nothing else.
	cleaner := st.person("cleaner", "cleanup", "--namespace", "clusters")
	editor.runs(0, "create", "cluster", "--name", "kv-03", "--wait", "api", "--expires", "1ms", "--yes")
	editor.runs(0, "create", "cluster", "--name", "kv-02", "--node-pool-replicas", "0", "--wait", "none", "--expires", "6h",
		"--yes")
	cleaner.runs(0, "delete", "clusters", "--namespace", "clusters", "--expired", "--yes")
	if told := cleaner.runs(0, "delete", "clusters", "--expired", "--yes"); !strings.Contains(told, "has expired") {
		t.Errorf("there is something left:\n%s", told)
	}
	if _, err := st.admin.first("hostedclusters.hypershift.openshift.io", "clusters/kv-02"); err != nil {
		t.Errorf("a cluster that has not expired is gone: %v", err)
	}
	// A user of just this cluster cannot list Secrets, but can change and delete it.
	named := st.person("named", "editor", "--namespace", "clusters", "--cluster-name", "kv-00")
	named.runs(0, "create", "cluster", "--name", "kv-00", "--generate-ssh", "--yes")
	named.runs(0, "status", "kv-00")
	named.runs(0, "events", "kv-00")
	named.runs(0, "describe", "cluster", "kv-00")
	named.runs(0, "password", "kv-00")
	told = named.runs(0, "delete", "cluster", "kv-00", "--yes")
	if !strings.Contains(told, "this user may not list them") {
		t.Errorf("delete does not say what it could not look at:\n%s", told)
	}
	// A cluster that is gone has no namespace in which somebody could have a Role.
	rescuer := st.person("rescuer", "restore", "--all-namespaces")
	rescuer.runs(0, "restore", "kv.tar.gz", "--name", "kv-00", "--yes")
	editor.runs(0, "delete", "cluster", "kv-00", "--yes")
	told = editor.runs(0, "delete", "cluster", "kv-02", "--yes")
	if !strings.Contains(told, "Namespace clusters: left as it is") {
		t.Errorf("delete does not say that the namespace stays:\n%s", told)
	}
	founder := st.person("founder", "editor", "--all-namespaces")
	founder.runs(
		0, "create", "cluster", "--name", "kv-01", "--namespace", "founded", "--node-pool-replicas", "0", "--wait", "none",
		"--yes",
	)
	founder.runs(0, "events", "kv-01", "--namespace", "founded")
	founder.runs(0, "delete", "cluster", "kv-01", "--namespace", "founded", "--keep-namespace", "--yes")

	st.tenantActs()
	st.joinActs()
	st.hubActs()

	remover := st.person("remover", "uninstall")
	remover.runs(0, "uninstall", "--include-storage", "--yes")
	st.judge(optionalRead, func(p *person, r right) bool {
		// The joiner's cluster has no services: the owner uses the same rights, for another cluster.
		return shownElsewhere(r) != "" || p.purpose == "tenant" && (p.name == "joiner" || !ofServices(r)) ||
			p.purpose == "probe" && ofOtherProbes.MatchString(r.String()) ||
			(p.purpose == "probe" || p.purpose == "publish") && ofBareClusters.MatchString(r.String())
	})
}

// TestRolesOfDensity lets a user with only the required rights measure density. It needs no bare cluster.
func TestRolesOfDensity(t *testing.T) {
	t.Parallel()
	s := settingsFor(t)
	if s.kubeconfig != "" {
		t.Skip(realKubeconfig + " is set: only a sandbox tells what it was asked")
	}
	if !s.all {
		t.Skip("make test-all runs it: the rights of density, which few people have")
	}
	st := newStage(t, s, "--profile", "ready")
	measurer := st.person("measurer", "density", "--all-namespaces")
	measurer.runs(0, "density", "--count", "1", "--dry-run")
	measurer.runs(
		0, "density", "--count", "1", "--wait", "complete", "--interval", "500ms", "--out", "run", "--yes",
	)
	st.judge(optionalRead, func(_ *person, r right) bool { return shownElsewhere(r) != "" })
}

// optionalRead reports whether hcctl can do without a request. docs/rbac.md says what is missing then.
func optionalRead(p *person, r audit.Request) bool {
	switch {
	case slices.Contains([]string{"cleanup", "density", "editor", "tenant"}, p.purpose) && r.Verb == "list":
		return true // delete looks at every kind for what hcctl made, and whether a namespace that hcctl made is empty
	case p.name == "named" && r.Verb == "watch" && r.Namespace == "clusters-kv-00":
		return true // delete waits there until the namespace goes, and this user's Roles go with it
	case p.purpose == "viewer,login" && r.Verb == "list" && r.Resource == "nodes":
		return true // get machines tells racks and zones to those who may read them
	case p.name == "timer" && r.Verb == "list" && r.Resource == "nodes":
		return true // start counts places for those who may see the nodes
	case p.name == "looker" && r.Resource == "secrets" && r.Verb == "get":
		return true // status asks the hosted cluster for its nodes
	case p.name == "sentinel" && r.Resource == "secrets" && r.Namespace == "openshift-gitops":
		return true // Argo CD's tokens are optional
	case p.name == "looker" && strings.HasPrefix(r.Agent, "hcctl") &&
		(r.Verb == "list" || r.Subresource == "log" || r.Resource == "namespaces"):
		return true // dump takes what it may read
	case p.name == "dumper" && r.Verb == "list" && r.Resource == "secrets":
		// dump goes by the names of the cluster's; the operator's nobody has to know
		return r.Namespace == "clusters" || r.Namespace == "hypershift"
	}
	return false
}
