package rbac

import (
	"errors"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/hcctl/hcctl/pkg/prereqs/gitops/names"
)

// Whatever is limited to a namespace, and to clusters where that is needed, has no Secret of any other, whichever
// purposes are put together.
func TestLimitedRolesReachNoSecretElsewhere(t *testing.T) {
	for _, a := range Purposes() {
		for _, b := range Purposes() {
			o := Options{Purposes: []Purpose{a.Purpose, b.Purpose}, Namespace: "lab", ClusterNames: []string{"kv-00"}}
			if slices.Contains(o.Purposes, Uninstall) || slices.Contains(o.Purposes, Probe) {
				continue // it is not about hosted clusters, and says what it is
			}
			if slices.Contains(o.Purposes, Infra) {
				continue // it is for the worker VMs' namespace of another cluster, and alone
			}
			if err := o.Unlimited(); err != nil {
				t.Errorf("%v: %v", o.Purposes, err)
			}
			for _, p := range (Roles{Options: o}).parts() {
				isNamed := slices.Contains([]string{"lab", "lab-kv-00", "lab-kv-00-services", configNamespace}, p.namespace) ||
					// It is about Argo CD's Secrets, and says so.
					p.namespace == names.Namespace &&
						(slices.Contains(o.Purposes, GitOpsRegister) || slices.Contains(o.Purposes, Expiry))
				if !isNamed && (p.allows("get list watch create update patch delete", "", secrets) || p.names(secrets)) {
					t.Errorf("%v reach Secrets of namespace %q", o.Purposes, p.namespace)
				}
				if p.namespace == "lab" && p.allows("get list watch update patch delete", "", secrets) {
					t.Errorf("%v: with --cluster-name Secrets are by name: %v", o.Purposes, p.policy)
				}
			}
		}
	}
}

// What is in one namespace of every cluster is no right in any other.
func TestNamesOfOneNamespaceAreNotForAll(t *testing.T) {
	for _, a := range Purposes() {
		for _, p := range (Roles{Options: Options{Purposes: []Purpose{a.Purpose}, Namespace: "lab",
			ClusterNames: []string{"kv-00"}}}).parts() {
			for _, r := range p.policy {
				for _, name := range []string{"pull-secret", "router-default", "default"} {
					if p.namespace == "" && slices.Contains(r.ResourceNames, name) {
						t.Errorf("%s: %v in the whole cluster", a.Purpose, r)
					}
				}
			}
		}
	}
}

func TestUnlimitedNamesWhatIsMissing(t *testing.T) {
	for _, tc := range []struct {
		purposes         []Purpose
		namespace, named string
		want             string
	}{
		{[]Purpose{Viewer}, "", "", ""},
		{[]Purpose{Check, Bootstrap, Uninstall}, "", "", ""},
		{[]Purpose{Viewer, Login}, "", "", "login: --namespace"},
		{[]Purpose{Editor, Login}, "", "kv-00", "editor login: --namespace"},
		{[]Purpose{Editor}, "lab", "", ""},
		{[]Purpose{Dump}, "", "", "dump: --namespace --cluster-name"},
		{[]Purpose{Dump, Editor}, "lab", "", "dump: --cluster-name"},
		{[]Purpose{Density}, "", "", "density: --namespace"},
	} {
		o := Options{Purposes: tc.purposes, Namespace: tc.namespace, ClusterNames: strings.Fields(tc.named)}
		var e *UnlimitedError
		got := ""
		if errors.As(o.Unlimited(), &e) {
			var words []string
			for _, p := range e.Purposes {
				words = append(words, string(p))
			}
			got = strings.Join(words, " ") + ":"
			for _, l := range e.Missing {
				got += " " + l.String()
			}
		}
		if got != tc.want {
			t.Errorf("%v in %q of %q: got %q, want %q", tc.purposes, tc.namespace, tc.named, got, tc.want)
		}
	}
}

func TestThePolicyRefusesItsSubjectsOnly(t *testing.T) {
	r := Roles{
		Options: Options{Purposes: []Purpose{Editor}, Namespace: "lab", Policy: true},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.UserKind, Name: `a"||true||"`}, {Kind: rbacv1.GroupKind, Name: "team"},
			{Kind: rbacv1.ServiceAccountKind, Namespace: "ns", Name: "robot"}},
	}
	const want = `request.userInfo.username == "a\"||true||\"" || "team" in request.userInfo.groups || request.userInfo.username == "system:serviceaccount:ns:robot"`
	if got := r.isSubject(); got != want {
		t.Errorf("got %s", got)
	}
	if len(r.admission()) != 2 {
		t.Errorf("%v", r.admission())
	}
	if r.Subjects = nil; len(r.admission()) != 0 {
		t.Errorf("without subjects: %v", r.admission())
	}
}

// uncheckedCreates are creates that neither names nor a policy limit, by a purpose or a resource, with the reason.
var uncheckedCreates = map[string]string{
	"bootstrap": "amounts to cluster-admin, and says so",
	"uninstall": "amounts to cluster-admin, and says so",
	"infra":     "in the worker VMs' namespace of another cluster, which has nothing else, and no tokens",
	"hub":       "amounts to cluster-admin of every management cluster, and says so",
	"managedclusteraddons.addon.open-cluster-management.io":      "in the cluster's own namespace, and their content is limited",
	"restore secrets configmaps":                                 "in its namespace: what a backed up cluster names has any name; no tokens",
	"managedclustersets/join.cluster.open-cluster-management.io": "a webhook asks for it by the set's name",
	"routes/custom-host.route.openshift.io":                      "no object of its own",
}

// What Kubernetes cannot limit by name, the policy does.
func TestCreationsAreLimited(t *testing.T) {
	for _, a := range Purposes() {
		o := Options{Purposes: []Purpose{a.Purpose}, Namespace: "lab", ClusterNames: []string{"kv-00"}, Policy: true,
			Features: []Feature{}}
		for _, r := range Rules(o) {
			if !unlimitedByName(r, strings.Fields(r.Resources)[0]) || r.Only != "" || r.Within != "" {
				continue
			}
			if uncheckedCreates[string(a.Purpose)]+uncheckedCreates[r.Resources]+uncheckedCreates[string(a.Purpose)+" "+r.Resources] == "" {
				t.Errorf("%s: nothing limits %s of %s", a.Purpose, r.Verbs, r.Resources)
			}
		}
	}
}
