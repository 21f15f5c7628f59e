package managedcluster_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services/internal/service"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services/managedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
)

const (
	hosted = `
{apiVersion: hypershift.openshift.io/v1beta1, kind: HostedCluster, metadata: {name: kv-00, namespace: clusters, uid: u1,
  creationTimestamp: "2026-01-01T00:00:00Z", labels: {env: dev}}, spec: {infraID: kv-00-abcde},
  status: {conditions: [{type: Available, status: %q, lastTransitionTime: %q}]}}
`
	local = `
---
{apiVersion: cluster.open-cluster-management.io/v1, kind: ManagedCluster, metadata: {name: hub,
  labels: {local-cluster: "true"}}}
`
	engine = `
---
{apiVersion: multicluster.openshift.io/v1, kind: MultiClusterEngine, metadata: {name: multiclusterengine},
  spec: {targetNamespace: mce}, status: {currentVersion: %s}}
`
	config = `
---
{apiVersion: addon.open-cluster-management.io/v1alpha1, kind: AddOnDeploymentConfig, metadata: {namespace: mce,
  name: hypershift-addon-deploy-config}, spec: {customizedVariables: [{name: autoImportDisabled, value: "%t"}]}}
`
	managed = `
---
{apiVersion: cluster.open-cluster-management.io/v1, kind: ManagedCluster, metadata: {name: kv-00, creationTimestamp:
  "2026-01-01T00:10:00Z", labels: {env: %s, cluster.open-cluster-management.io/clusterset: blue},
  annotations: {import.open-cluster-management.io/klusterlet-deploy-mode: %s}}, spec: {hubAcceptsClient: %t},
  status: {conditions: [{type: ManagedClusterJoined, status: "True"},
    {type: ManagedClusterConditionAvailable, status: %q}]}}
`
	addon = `
---
{apiVersion: addon.open-cluster-management.io/v1alpha1, kind: ManagedClusterAddOn, metadata: {namespace: kv-00,
  name: work-manager}, status: {conditions: [{type: Available, status: %q, reason: WorkNotApplied}]}}
`
)

func kind(group, version, name, plural string, namespaced bool) kube.Kind {
	k := kube.Kind{Plural: plural, Namespaced: namespaced}
	k.Group, k.Version, k.Kind = group, version, name
	return k
}

var (
	clusters = kind("cluster.open-cluster-management.io", "v1", "ManagedCluster", "managedclusters", false)
	addons   = kind("addon.open-cluster-management.io", "v1alpha1", "ManagedClusterAddOn", "managedclusteraddons", true)
)

// tenant is a hosted cluster that is to be in set blue, with the label env=dev and an addon.
func tenant(t *testing.T, objects ...string) (*kubetest.API, service.Tenant) {
	t.Helper()
	api := kubetest.Serve(t)
	api.Register(t, kube.HostedCluster, clusters, addons, kube.MultiClusterEngine,
		kind("addon.open-cluster-management.io", "v1alpha1", "AddOnDeploymentConfig", "addondeploymentconfigs", true))
	api.Put(t, strings.Join(objects, ""))
	o := options.Defaults()
	o.Name, o.ClusterSet, o.Labels, o.Addons = "kv-00", "blue", map[string]string{"env": "dev"}, []string{"work-manager"}
	valid, err := o.Validate()
	if err != nil {
		t.Fatal(err)
	}
	n := service.Tenant{Options: valid, Client: api.Client, Cluster: &hyperv1.HostedCluster{}}
	if err := api.Client.Get(t.Context(), client.ObjectKey{Namespace: "clusters", Name: "kv-00"}, n.Cluster); err != nil {
		t.Fatal(err)
	}
	return api, n
}

func TestCheck(t *testing.T) {
	up := fmt.Sprintf(hosted, "True", "2026-01-01T00:05:00Z")
	justUp := fmt.Sprintf(hosted, "True", time.Now().UTC().Format(time.RFC3339))
	of := func(env, mode string, accepted bool, available string) string {
		return fmt.Sprintf(managed, env, mode, accepted, available)
	}
	for name, tc := range map[string]struct {
		objects []string
		state   step.State
		words   string
	}{
		"not up yet": {[]string{fmt.Sprintf(hosted, "False", "2026-01-01T00:05:00Z")}, step.StatePending,
			"waits for the hosted cluster to be Available"},
		"no local cluster": {[]string{up}, step.StateBroken, "the hub does not manage itself"},
		"addon imports": {[]string{justUp, local, fmt.Sprintf(engine, "2.10.1")}, step.StatePending,
			"waits for the hypershift addon"},
		"addon has not": {[]string{up, local, fmt.Sprintf(engine, "2.10.1"), fmt.Sprintf(config, false)},
			step.StateMissing, "the hypershift addon has not within 3m"},
		"auto-import off": {[]string{justUp, local, fmt.Sprintf(engine, "2.10.1"), fmt.Sprintf(config, true)},
			step.StateMissing, "autoImportDisabled is true in AddOnDeploymentConfig mce/"},
		"no auto-import yet": {[]string{justUp, local, fmt.Sprintf(engine, "2.2.3")}, step.StateMissing, "before 2.4"},
		"no engine":          {[]string{justUp, local}, step.StateMissing, "no multicluster engine"},
		"another's": {[]string{up, of("dev", "Default", true, "True")}, step.StateBroken,
			"not that of a hosted cluster"},
		"denied": {[]string{up, of("dev", "Hosted", false, "True")}, step.StateBroken, "hubAcceptsClient is false"},
		"another label": {[]string{up, of("prod", "Hosted", true, "True")}, step.StateMissing,
			`label env is "prod", not "dev"`},
		"lost": {[]string{up, of("dev", "Hosted", true, "Unknown")}, step.StatePending,
			"the hub does not hear of its klusterlet"},
		"no addon": {[]string{up, of("dev", "Hosted", true, "True")}, step.StateMissing,
			"addon work-manager is not there"},
		"addon down": {[]string{up, of("dev", "Hosted", true, "True"), fmt.Sprintf(addon, "False")}, step.StatePending,
			"addon work-manager is not available: WorkNotApplied"},
		"well": {[]string{up, of("dev", "Hosted", true, "True"), fmt.Sprintf(addon, "True")}, step.StateOK,
			"joined and available, in set blue, with work-manager"},
	} {
		t.Run(name, func(t *testing.T) {
			_, n := tenant(t, tc.objects...)
			f := managedcluster.Service().Check(t.Context(), n, n.Client)
			if f.State != tc.state || !strings.Contains(f.Message, tc.words) || f.Object != "ManagedCluster kv-00" {
				t.Errorf("got %+v, want %s with %q", f, tc.state, tc.words)
			}
		})
	}
}

// Without auto-import hcctl makes what the addon would make; with Advanced Cluster Management its configuration too.
func TestApply(t *testing.T) {
	up := fmt.Sprintf(hosted, "True", "2026-01-01T00:05:00Z")
	api, n := tenant(t, up, local, fmt.Sprintf(engine, "2.10.1"), fmt.Sprintf(config, true))
	api.Register(t, kube.KlusterletAddonConfig)
	s := managedcluster.Service()
	apply := func() step.Change {
		t.Helper()
		change, err := s.Apply(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		return change
	}
	if got := apply(); got != step.Created {
		t.Errorf("%s", got)
	}
	made := api.Object(t, clusters, "", "kv-00")
	for key, want := range map[string]string{"import.open-cluster-management.io/klusterlet-deploy-mode": "Hosted",
		"import.open-cluster-management.io/hosting-cluster-name": "hub",
		"open-cluster-management/created-via":                    "hypershift"} {
		if got := made.GetAnnotations()[key]; got != want {
			t.Errorf("annotation %s is %q, want %q", key, got, want)
		}
	}
	if l := made.GetLabels(); l["env"] != "dev" || l["vendor"] != "auto-detect" || l[kube.ManagedByLabel] != "hcctl" {
		t.Errorf("labels %v", l)
	}
	signed := api.Object(t, clusters, "", "kv-00")
	signed.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: kube.FieldOwner,
		Operation: metav1.ManagedFieldsOperationUpdate}})
	document, err := signed.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	api.Put(t, string(document))
	// The HostedCluster was made without the set; the second run writes it, the addon and the configuration.
	if got := apply(); got == step.Unchanged {
		t.Error("nothing was written")
	}
	labels := api.Object(t, clusters, "", "kv-00").GetLabels()
	if got := labels["cluster.open-cluster-management.io/clusterset"]; got != "blue" {
		t.Errorf("it is in set %q", got)
	}
	if api.Object(t, addons, "kv-00", "work-manager") == nil ||
		api.Object(t, kube.KlusterletAddonConfig, "kv-00", "kv-00") == nil {
		t.Error("it has no addon, or no KlusterletAddonConfig")
	}
	before := len(api.Writes())
	if got := apply(); got != step.Unchanged {
		t.Errorf("a third run: %s: %v", got, api.Writes()[before:])
	}
}

// A ManagedCluster that is another's is left as it is.
func TestApplyLeavesForeign(t *testing.T) {
	api, n := tenant(t, fmt.Sprintf(hosted, "True", "2026-01-01T00:05:00Z"),
		fmt.Sprintf(managed, "prod", "Default", true, "True"))
	_, err := managedcluster.Service().Apply(t.Context(), n)
	if err == nil || !strings.Contains(err.Error(), "not that of a hosted") {
		t.Errorf("%v", err)
	}
	if w := api.Writes(); len(w) > 0 {
		t.Errorf("%v", w)
	}
}
