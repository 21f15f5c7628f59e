package rbac

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/hcctl/hcctl/pkg/kube/access"
)

// told is a policy in short: "get,list pods of core; ...".
func told(policy []rbacv1.PolicyRule) string {
	var out []string
	for _, r := range policy {
		s := fmt.Sprintf("%s %s.%s", strings.Join(r.Verbs, ","), strings.Join(r.Resources, ","), r.APIGroups[0])
		if len(r.ResourceNames) > 0 {
			s += " " + strings.Join(r.ResourceNames, ",")
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

func TestPolicyIsTheFewestRules(t *testing.T) {
	for name, tc := range map[string]struct {
		rules []Rule
		want  string
	}{
		"verbs of one resource go together": {[]Rule{{Verbs: "list", Resources: "pods"},
			{Verbs: "get", Resources: "pods"}}, "get,list pods."},
		"resources with the same verbs": {[]Rule{{Verbs: "get", Resources: "pods nodes"},
			{Verbs: "get", Resources: "deployments.apps"}}, "get nodes,pods.; get deployments.apps"},
		"names with the same verbs": {[]Rule{{Verbs: "get", Resources: "secrets", Names: "b"},
			{Verbs: "get", Resources: "secrets", Names: "a"}}, "get secrets. a,b"},
		"what holds of all is not said of one": {[]Rule{{Verbs: "get patch", Resources: "nodes", Names: "a"},
			{Verbs: "get", Resources: "nodes"}}, "get nodes.; patch nodes. a"},
		"what holds of anything is not repeated": {[]Rule{{Verbs: "list get", Resources: "nodes"},
			{Verbs: "list", Resources: "*.*"}}, "get nodes.; list *.*"},
		"subresources are resources": {[]Rule{{Verbs: "get", Resources: "pods/log"}, {Verbs: "list", Resources: "pods"}},
			"list pods.; get pods/log."},
	} {
		if got := told(Policy(tc.rules)); got != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}

func TestRolesOfOneNamespaceAndCluster(t *testing.T) {
	r := Roles{
		Name: "team", Subjects: []rbacv1.Subject{{Kind: rbacv1.GroupKind, Name: "team"}},
		Options: Options{Purposes: []Purpose{Viewer, Login}, Namespace: "lab", ClusterNames: []string{"kv-00"}},
	}
	var got []string
	for _, o := range r.Objects() {
		switch o := o.(type) {
		case *rbacv1.ClusterRole:
			got = append(got, "ClusterRole: "+told(o.Rules))
		case *rbacv1.Role:
			got = append(got, "Role "+o.Namespace+": "+told(o.Rules))
		case *rbacv1.ClusterRoleBinding:
			got = append(got, "ClusterRoleBinding "+o.Subjects[0].Name)
		case *rbacv1.RoleBinding:
			got = append(got, "RoleBinding "+o.Namespace+" "+o.RoleRef.Kind+" "+o.Subjects[0].Name)
		}
	}
	want := []string{
		"ClusterRole: get namespaces.; list certificatesigningrequests.certificates.k8s.io; list managedclusters." +
			"cluster.open-cluster-management.io; get managedclusters.cluster.open-cluster-management.io kv-00; " +
			"get clusterversions.config.openshift.io version", "ClusterRoleBinding team",
		"Role hypershift: get deployments.apps operator", "RoleBinding hypershift Role team",
		"Role lab: list events.; get,list,watch secrets. kv-00-admin-kubeconfig; get secrets. kv-00-infra-credentials,kv-00-kubeadmin-password; get,list,watch " +
			"hostedclusters,nodepools.hypershift.openshift.io",
		"RoleBinding lab Role team",
		"Role lab-kv-00: list events,services.; list,watch persistentvolumeclaims,pods.; get deployments.apps " +
			"control-plane-operator; list deployments,statefulsets.apps; list datavolumes.cdi.kubevirt.io; list " +
			"machines.cluster.x-k8s.io; list endpointslices.discovery.k8s.io; list,watch " +
			"controlplanecomponents.hypershift.openshift.io; get hostedcontrolplanes.hypershift.openshift.io; list " +
			"virtualmachineinstancemigrations,virtualmachineinstances.kubevirt.io; " +
			"list,watch virtualmachines.kubevirt.io; list routes.route.openshift.io", "RoleBinding lab-kv-00 Role team",
		"Role lab-kv-00-services: list deployments.apps", "RoleBinding lab-kv-00-services Role team",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// Clusters to come have control planes in namespaces that nobody knows yet.
	r.ClusterNames = nil
	role, ok := r.Objects()[0].(*rbacv1.ClusterRole)
	if !ok || !strings.Contains(told(role.Rules), "list,watch persistentvolumeclaims,pods.") || strings.Contains(told(role.Rules), "secrets") {
		t.Errorf("without names: %+v", r.Objects()[0])
	}
}

// A role in a namespace needs the namespace, and the services' one is not there before the cluster.
func TestTheTenantsNamespaceIsPrintedWithTheRoles(t *testing.T) {
	r := Roles{Name: "team", Options: Options{Purposes: []Purpose{Tenant}, Namespace: "lab", ClusterNames: []string{"kv-00"}}}
	ns, is := r.Objects()[0].(*corev1.Namespace)
	if !is || ns.Name != "lab-kv-00-services" || ns.Labels["pod-security.kubernetes.io/enforce"] != "restricted" || ns.Annotations["hcctl.dev/hosted-cluster"] != "lab/kv-00" {
		t.Fatalf("got %+v", r.Objects()[0])
	}
	var inside, whole string
	for _, o := range r.Objects() {
		switch o := o.(type) {
		case *rbacv1.Role:
			if o.Namespace == ns.Name {
				inside = told(o.Rules)
			}
		case *rbacv1.ClusterRole:
			whole = told(o.Rules)
		}
	}
	if !strings.Contains(inside, "create secrets.;") || !strings.Contains(whole, "delete namespaces. lab-kv-00-services") ||
		strings.Contains(whole, "secrets") {
		t.Errorf("inside: %s\nwhole cluster: %s", inside, whole)
	}
	// Without names it would reach every Secret there is.
	r.ClusterNames = nil
	if err := r.Unlimited(); err == nil || !strings.Contains(err.Error(), "--cluster-name") {
		t.Errorf("got %v", err)
	}
}

// The whole cluster's Secrets are not for those who only look, and nobody but who applies manifests may make
// administrators.
func TestNoRoleHasMoreThanItsPurpose(t *testing.T) {
	ordinary := []Feature{access.DefaultClass, access.DataFoundation, access.LVMStorage, access.MetalLB, access.Community}
	for _, a := range Purposes() {
		for _, r := range Policy(Rules(Options{Purposes: []Purpose{a.Purpose}, Features: ordinary})) {
			if slices.Contains(r.Verbs, "*") || slices.Contains(r.Verbs, "escalate") || slices.Contains(r.Verbs, "bind") ||
				slices.Contains(r.Verbs, "impersonate") {
				t.Errorf("%s: %v", a.Purpose, r)
			}
			writes := !slices.Equal(slices.DeleteFunc(slices.Clone(r.Verbs), func(v string) bool {
				return !slices.Contains([]string{"get", "list", "watch"}, v)
			}), r.Verbs)
			if writes && slices.Contains([]Purpose{Check, Viewer, Login, Dump, Maintenance}, a.Purpose) {
				t.Errorf("%s writes: %v", a.Purpose, r)
			}
			if slices.Contains(r.Resources, "secrets") && len(r.ResourceNames) == 0 &&
				slices.Contains([]Purpose{Check, Bootstrap, Viewer, Maintenance}, a.Purpose) {
				t.Errorf("%s may read all Secrets: %v", a.Purpose, r)
			}
		}
	}
}

func TestEveryRuleIsForAPurposeAndSaysWhy(t *testing.T) {
	for _, r := range table() {
		if len(r.For) == 0 || r.Why == "" || r.Verbs == "" || r.Resources == "" {
			t.Errorf("%+v", r)
		}
		if strings.Contains(r.Verbs, "create") && r.Names != "" && !strings.Contains(r.Verbs, "patch") &&
			!strings.Contains(r.Resources, "multiclusterengines") && !strings.Contains(r.Resources, "/") {
			t.Errorf("what is posted has no name to be limited by: %+v", r)
		}
	}
}

func TestSubjects(t *testing.T) {
	got, err := Subjects([]string{"ann"}, []string{"team"}, []string{"ns:robot"})
	if err != nil || len(got) != 3 || got[2].Namespace != "ns" || got[2].APIGroup != "" ||
		got[0].APIGroup != rbacv1.GroupName {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{"robot", ":robot", "ns:", "a:b:c"} {
		if _, err := Subjects(nil, nil, []string{bad}); err == nil || !strings.Contains(err.Error(), "NAMESPACE:NAME") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, err := ParsePurposes([]string{"view"}); err == nil || !strings.Contains(err.Error(), "viewer") {
		t.Errorf("unknown purpose: %v", err)
	}
}
