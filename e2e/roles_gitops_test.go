package e2e

import (
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// registerActs has a user make a hosted cluster known to Argo CD, and have Argo CD forget it.
func (st *stage) registerActs() {
	st.t.Helper()
	const secret = "openshift-gitops/hosted-cluster-clusters.kv-00"
	if err := st.create(map[string]any{"apiVersion": "v1", "kind": "Namespace",
		"metadata": map[string]any{"name": "openshift-gitops"}}); err != nil {
		st.t.Fatal(err)
	}
	registrar := st.person("registrar", "gitops-register", "--namespace", "clusters")
	registrar.runs(0, "gitops", "register", "kv-00", "--yes")
	if told := registrar.runs(0, "gitops", "register", "-l", "!nobody", "--yes"); !strings.Contains(told, "1 unchanged") {
		st.t.Errorf("a second registration:\n%s", told)
	}
	if _, err := st.admin.get("secrets", secret); err != nil {
		st.t.Error(err)
	}
	registrar.runs(0, "gitops", "register", "kv-00", "--remove", "--yes")
	if _, err := st.admin.get("secrets", secret); !apierrors.IsNotFound(err) {
		st.t.Errorf("Argo CD's Secret is left: %v", err)
	}
	// delete cluster finds one that is not taken back.
	registrar.runs(0, "gitops", "register", "kv-00", "--token-lifetime", "1h", "--yes")
}

// expiryActs have users look when certificates and tokens end: of one cluster, of all, and without Argo CD's.
func (st *stage) expiryActs(looker *person) {
	st.t.Helper()
	of := []string{"--namespace", "clusters", "--cluster-name", "kv-00"}
	for name, args := range map[string][]string{"warden": append(of, "--with", "gitops"),
		"overseer": {"--all-namespaces", "--with", "gitops"}} {
		told := st.person(name, "expiry", args...).runs(0, "get", "clusters", "kv-00", "--expiry")
		if !strings.Contains(told, " argocd-token") || strings.Contains(told, "?") {
			st.t.Errorf("%s does not see everything:\n%s", name, told)
		}
	}
	told := st.person("sentinel", "expiry", of...).runs(0, "get", "clusters", "kv-00", "--expiry")
	if !strings.Contains(told, " ?") {
		st.t.Errorf("what may not be read is not told:\n%s", told)
	}
	told = looker.runs(1, "status", "kv-00", "--expiry")
	if !strings.Contains(told, "hcctl rbac --for viewer,expiry --namespace clusters --cluster-name kv-00") {
		st.t.Errorf("status --expiry does not say what role would do:\n%s", told)
	}
}
