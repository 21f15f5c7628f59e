package rbac

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

func optionsOf(purpose Purpose, namespace, names string) Options {
	return Options{Purposes: []Purpose{purpose}, Namespace: namespace, ClusterNames: strings.Fields(names), Policy: true,
		Features: []Feature{ManifestWorks}}
}

// Names of the platform, the hub and its agents are none of a hosted cluster, for any purpose.
func TestReservedNamesAreRefused(t *testing.T) {
	for _, a := range Purposes() {
		for _, tc := range []struct{ namespace, name, want string }{
			{"team", "web", ""},
			{"team", "local-cluster", "--cluster-name local-cluster"},
			{"team", "kube-system", "--cluster-name kube-system"},
			{"team", "open-cluster-management-agent", "--cluster-name open-cluster-management-agent"},
			{"openshift", "config", "--namespace openshift"},
			{"kube", "system", "--namespace kube"},
			{"klusterlet", "x", "the namespace klusterlet-x belongs"},
			{"open-cluster", "management", "the namespace open-cluster-management belongs"},
			{"metallb", "system", "the namespace metallb-system belongs"},
		} {
			err := optionsOf(a.Purpose, tc.namespace, tc.name).Reserved()
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				// The namespace means nothing for what is not about hosted clusters, and a Subscription's is the operator's.
				if a.Purpose != GitOpsApprove && optionsOf(a.Purpose, "team", "web").AboutClusters() ||
					!strings.HasPrefix(tc.want, "--namespace") {
					t.Errorf("%s %s/%s: %v, want %q", a.Purpose, tc.namespace, tc.name, err, tc.want)
				}
			}
		}
	}
}

// A role never reaches what its names mean for somebody else.
func TestNamesThatMeanAnotherClusterAreRefused(t *testing.T) {
	hc := func(namespace, name string) hostedcluster.Identity {
		return hostedcluster.Identity{Namespace: namespace, Name: name}
	}
	ns := func(name, mark string) corev1.Namespace {
		return corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name,
			Annotations: map[string]string{hostedcluster.ClusterAnnotation: mark}}}
	}
	for name, tc := range map[string]struct {
		o     Options
		found Found
		want  string
	}{
		"nothing there":          {optionsOf(Dump, "team", "a-web"), Found{}, ""},
		"itself":                 {optionsOf(Dump, "team", "a-web"), Found{HostedClusters: []hostedcluster.Identity{hc("team", "a-web")}, Namespaces: []corev1.Namespace{ns("team-a-web", "")}}, ""},
		"another's plane":        {optionsOf(Dump, "team", "a-web"), Found{HostedClusters: []hostedcluster.Identity{hc("team-a", "web")}}, "HostedCluster team-a/web"},
		"a dot":                  {optionsOf(Viewer, "team", "a-web"), Found{HostedClusters: []hostedcluster.Identity{hc("team", "a.web")}}, "HostedCluster team/a.web"},
		"another's services":     {optionsOf(Logs, "team", "web-services"), Found{HostedClusters: []hostedcluster.Identity{hc("team", "web")}}, "the services of HostedCluster team/web"},
		"services, its plane":    {optionsOf(Tenant, "team", "web"), Found{HostedClusters: []hostedcluster.Identity{hc("team", "web-services")}}, "the control plane of HostedCluster team/web-services"},
		"a namespace of others":  {optionsOf(Dump, "team", "a"), Found{HostedClusters: []hostedcluster.Identity{hc("team-a", "web")}}, "has HostedCluster team-a/web"},
		"a plane as namespace":   {optionsOf(Login, "team-a-web", ""), Found{HostedClusters: []hostedcluster.Identity{hc("team-a", "web")}}, "--namespace team-a-web"},
		"a site":                 {optionsOf(Viewer, "team", "paris"), Found{ManagedClusters: map[string]bool{"paris": false}}, "ManagedCluster paris is not"},
		"an imported one":        {optionsOf(Tenant, "team", "paris"), Found{ManagedClusters: map[string]bool{"paris": true}}, ""},
		"a site's namespace":     {optionsOf(Dump, "team", "x"), Found{ManagedClusters: map[string]bool{"team-x": false}}, "ManagedCluster team-x"},
		"a site as namespace":    {optionsOf(Editor, "paris", ""), Found{ManagedClusters: map[string]bool{"paris": false}}, "--namespace paris"},
		"an application's":       {optionsOf(Dump, "team", "web"), Found{Namespaces: []corev1.Namespace{ns("team-web", "")}}, "namespace team-web"},
		"reserved for it":        {optionsOf(Tenant, "team", "web"), Found{Namespaces: []corev1.Namespace{ns("team-web-services", "team/web")}}, ""},
		"reserved for another":   {optionsOf(Tenant, "team", "a-web"), Found{Namespaces: []corev1.Namespace{ns("team-a-web-services", "team-a/web")}}, "namespace team-a-web-services"},
		"nothing of that is its": {optionsOf(Schedule, "team", "a-web"), Found{HostedClusters: []hostedcluster.Identity{hc("team-a", "web")}}, ""},
	} {
		err := tc.o.Refuse(tc.found)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}

func TestReadingsNameTheOthers(t *testing.T) {
	got := strings.Join(optionsOf(Dump, "team", "a-web").Readings(), " ")
	if got != "team-a/web" {
		t.Errorf("got %s", got)
	}
	got = strings.Join(optionsOf(Viewer, "team", "web").Readings(), " ")
	if got != "team/web-services team-web/services" {
		t.Errorf("got %s", got)
	}
}
