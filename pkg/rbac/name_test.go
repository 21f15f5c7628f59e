package rbac

import (
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

func named(purposes, namespace, clusters string, subjects ...rbacv1.Subject) string {
	r := Roles{Options: Options{Namespace: namespace, ClusterNames: strings.Fields(clusters)}, Subjects: subjects}
	for _, p := range strings.Fields(purposes) {
		r.Purposes = append(r.Purposes, Purpose(p))
	}
	return r.DefaultName()
}

func user(name string) rbacv1.Subject  { return rbacv1.Subject{Kind: rbacv1.UserKind, Name: name} }
func group(name string) rbacv1.Subject { return rbacv1.Subject{Kind: rbacv1.GroupKind, Name: name} }

// Roles for somebody or something else never take each other's name.
func TestNamesAreTheirOwn(t *testing.T) {
	long := strings.Repeat("x", 300)
	seen := map[string]int{}
	for i, name := range []string{
		named("editor", "", ""), named("viewer", "", ""), named("viewer dump", "", ""), named("viewer", "dump", ""),
		named("editor", "a-b", "c"), named("editor", "a", "b-c"), named("editor", "a", "b c"), named("editor", "a", "",
			user("b-c")), named("editor", "a-b-c", ""),
		named("editor", "a", "", user("ann")), named("editor", "a", "", group("ann")), named("editor", "a", "", user("ann"),
			user("bob")), named("editor", "b", "", user("ann")),
		named("editor", "", "", user("ann")), named("editor", "", "a", user("ann")),
		named("editor", "a", "", rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: "x", Name: "y-z"}),
		named("editor", "a", "", rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: "x-y", Name: "z"}),
		named("editor", "a", "", user("system:serviceaccount:x:y-z")), named("editor", "a", "",
			user("system-serviceaccount-x-y-z")),
		named("editor", "a", "", user("ann@example.com")), named("editor", "a", "", user("ann-example-com")), named("editor",
			"a", "", user("Ann@example.com")),
		named("editor", "a", "", user("日本")), named("editor", "a", "", user("本日")), named("editor", "a", "",
			user("a/b")), named("editor", "a", "", user("a%b")),
		named("editor", "a", "", user(long+"1")), named("editor", "a", "", user(long+"2")),
	} {
		if before, there := seen[name]; there {
			t.Errorf("%d and %d are both called %s", before, i, name)
		}
		seen[name] = i
		if problems := validation.IsDNS1123Subdomain(name); len(problems) > 0 {
			t.Errorf("%q: %v", name, problems)
		}
		if !strings.HasPrefix(name, "hcctl-") {
			t.Errorf("%q", name)
		}
	}
	if got := named("editor", "clusters", "kv-00", user("ann")); !strings.HasPrefix(got,
		"hcctl-editor-clusters-kv-00-ann-") {
		t.Errorf("it cannot be read: %s", got)
	}
}

// The same is called the same, in whichever order it is given: printing it again replaces it.
func TestNamesOfTheSameAreTheSame(t *testing.T) {
	for _, pair := range [][2]string{
		{named("viewer dump", "", ""), named("dump viewer", "", "")},
		{named("login", "a", "x y", user("ann"), user("bob")),
			named("login", "a", "y x x", user("bob"), user("ann"), user("ann"))},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s and %s", pair[0], pair[1])
		}
	}
}

func TestGivenNames(t *testing.T) {
	for _, bad := range []string{"a/b", "a%b", ".", "..", strings.Repeat("x", 254)} {
		if ParseName(bad) == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	if err := ParseName("team:A"); err != nil {
		t.Error(err)
	}
	if got := (Roles{Name: "team:A"}).policyName(); len(validation.IsDNS1123Subdomain(got)) > 0 {
		t.Errorf("a policy cannot be called %q", got)
	}
}
