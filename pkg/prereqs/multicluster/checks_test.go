package multicluster

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/Masterminds/semver/v3"
	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "open-cluster-management.io/api/cluster/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestJudgeEngineVersion(t *testing.T) {
	for name, tc := range map[string]struct {
		engine, openShift string
		want              step.State
		says              string
	}{
		"right":            {"2.8.2", "4.18.1", step.StateOK, "2.8 to 2.10"},
		"newest":           {"2.11.0", "4.21.0", step.StateOK, "2.11 and later"},
		"too old":          {"2.7.9", "4.18.1", step.StateMissing, "too old for OpenShift 4.18, which takes 2.8 to 2.10"},
		"too new":          {"2.11.0", "4.18.1", step.StateMissing, "too new for OpenShift 4.18"},
		"after the jump":   {"5.0.0", "4.18.1", step.StateMissing, "too new"},
		"jump, open ended": {"5.0.0", "4.21.3", step.StateOK, "2.11 and later"},
		"the only one":     {"2.2.5", "4.12.40", step.StateOK, "(2.2)"},
		"later OpenShift":  {"2.17.0", "4.22.0", step.StateOK, "2.17 and later"},
		"not told":         {"", "4.18.1", step.StateUnknown, "does not report"},
	} {
		t.Run(name, func(t *testing.T) {
			prereqtest.Expect(t, judgeEngineVersion(prereq.EngineVersion(mce(tc.engine, "")), semver.MustParse(tc.openShift)),
				tc.want, tc.says)
		})
	}
}

func TestRivalsAreTurnedOffByAPatchThatFitsThisListOnly(t *testing.T) {
	list := components{
		{"name": "discovery", "enabled": true}, {"name": "cluster-api", "enabled": true}, {"name": "cluster-api-provider-aws",
			"enabled": false},
		{"name": "cluster-api-provider-metal3", "enabled": true, "configOverrides": map[string]any{"a": "b"}},
	}
	if got := strings.Join(list.names(list.clusterAPI()), " "); got != "cluster-api cluster-api-provider-metal3" {
		t.Fatalf("got %s", got)
	}
	patch, err := jsonpatch.DecodePatch([]byte(list.disabling(list.clusterAPI())))
	if err != nil {
		t.Fatal(err)
	}
	document := func(c components) []byte {
		raw, err := json.Marshal(map[string]any{"spec": map[string]any{"overrides": map[string]any{"components": c}}})
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	got, err := patch.Apply(document(list))
	if err != nil {
		t.Fatal(err)
	}
	list[1]["enabled"], list[3]["enabled"] = false, false
	if want := document(list); !jsonpatch.Equal(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, err := patch.Apply(document(list[1:])); err == nil {
		t.Error("the patch was applied to another list")
	}
}

func TestPausedEngineNamesItsAnnotation(t *testing.T) {
	for annotation := range map[string]bool{"pause": true, "installer.multicluster.openshift.io/pause": true} {
		paused := mce("2.10.0", "Paused")
		paused.SetAnnotations(map[string]string{annotation: "true"})
		if f := judgeEngine(paused); !strings.HasPrefix(f.Hint.String(), "oc annotate mce mce "+annotation+"-, ") {
			t.Errorf("got %q", f.Hint.String())
		}
	}
}

func TestJudgeHub(t *testing.T) {
	hub := prereq.NewObject(kube.MultiClusterHub, "acm", "multiclusterhub", map[string]any{})
	prereqtest.Expect(t, judgeHub(hub), step.StatePending, "phase none yet")
	hub.Object["status"] = map[string]any{"phase": "Installing",
		"conditions": []any{prereqtest.Condition("Complete", "False", "ComponentNotReady", "search is not ready")}}
	prereqtest.Expect(t, judgeHub(hub), step.StatePending,
		"(phase Installing) brings multicluster engine itself: Complete False (ComponentNotReady): search is not ready")
	hub.Object["status"] = map[string]any{"phase": "Paused"}
	prereqtest.Expect(t, judgeHub(hub), step.StateBroken, "is paused")
}

func TestJudgeManagement(t *testing.T) {
	sub := &olmv1alpha1.Subscription{ObjectMeta: metav1.ObjectMeta{Namespace: "acm", Name: "mine"}}
	prereqtest.Expect(t, judgeManagement(sub), step.StatePending, "is not installed yet")
	sub.Status.InstalledCSV = "advanced-cluster-management.v2.15.0"
	f := judgeManagement(sub)
	prereqtest.Expect(t, f, step.StateBroken, "advanced-cluster-management.v2.15.0")
	if f.Object != "Subscription acm/mine" || !strings.Contains(f.Hint.String(),
		`"kind":"MultiClusterHub","metadata":{"name":"multiclusterhub","namespace":"acm"}`) {
		t.Errorf("got %+v", f)
	}
}

func TestJudgeLocalCluster(t *testing.T) {
	cluster := func(accepts bool, conditions ...string) *clusterv1.ManagedCluster {
		c := &clusterv1.ManagedCluster{ObjectMeta: metav1.ObjectMeta{Name: "hub"}}
		c.Spec.HubAcceptsClient = accepts
		for _, told := range conditions {
			parts := strings.Split(told, " ")
			c.Status.Conditions = append(c.Status.Conditions,
				metav1.Condition{Type: parts[0], Status: metav1.ConditionStatus(parts[1]), Reason: "R", Message: "words of " +
					parts[0]})
		}
		return c
	}
	const (
		accepted  = "HubAcceptedManagedCluster"
		joined    = "ManagedClusterJoined"
		available = "ManagedClusterConditionAvailable"
	)
	for name, tc := range map[string]struct {
		cluster *clusterv1.ManagedCluster
		want    step.State
		says    string
		trouble bool
	}{
		"all True": {cluster(true, accepted+" True", joined+" True", available+" True"), step.StateOK,
			"joined and available", false},
		"new": {cluster(true), step.StatePending, "HubAcceptedManagedCluster not reported yet", false},
		"types without True": {cluster(true, accepted+" True", joined+" False", available+" False"), step.StatePending,
			"ManagedClusterJoined False (R)", false},
		"not imported": {cluster(true, accepted+" True", conditionImported+" False"), step.StatePending, "words of " +
			conditionImported, false},
		"lost": {cluster(true, accepted+" True", joined+" True", available+" Unknown"), step.StatePending,
			available + " Unknown", true},
		"refused by a person": {cluster(false, accepted+" False"), step.StateBroken, "hubAcceptsClient is false", false},
		"joined, half the words": {cluster(true, accepted+" True", joined+" True"), step.StatePending, available +
			" not reported yet", false},
	} {
		t.Run(name, func(t *testing.T) {
			f := judgeLocalCluster(tc.cluster)
			prereqtest.Expect(t, f, tc.want, tc.says)
			if f.Trouble != tc.trouble {
				t.Errorf("trouble %t, want %t", f.Trouble, tc.trouble)
			}
		})
	}
}

// TestUnready has what backplane-operator writes of things that are well and that are not.
func TestUnready(t *testing.T) {
	for name, want := range map[string]struct {
		entry string
		ready bool
	}{
		"Deployment":                  {"Deployment Available True MinimumReplicasAvailable,Deployment is available", true},
		"Deployment before 2.6":       {"Deployment Available True MinimumReplicasAvailable,", true},
		"Deployment after a roll-out": {"Deployment Progressing True NewReplicaSetAvailable,Deployment is available", true},
		"Deployment that rolls out":   {"Deployment Progressing True ReplicaSetUpdated,ReplicaSet \"x-1\" is progressing.", false},
		"Deployment without pods":     {"Deployment Available False MinimumReplicasUnavailable,no", false},
		"Deployment, one pod lacking": {"Deployment Available True MinimumReplicasAvailable,Deployment has minimum availability.", false},
		"no console":                  {"Deployment Available False OCP Console missing,", true},
		"local cluster":               {"local-cluster ManagedClusterImportSuccess True ManagedClusterImported,", true},
		"local cluster, imported":     {"local-cluster ManagedClusterImportSucceeded True ManagedClusterImported,", false},
		"local cluster, off":          {"local-cluster NotPresent True ManagedClusterDisabled,", true},
		"addon":                       {"ManagedClusterAddOn Available True ManagedClusterAddOnLeaseUpdated,", true},
		"addon, registered":           {"ManagedClusterAddOn RegistrationApplied True SetPermissionApplied,", false},
		"addon, unknown":              {"ManagedClusterAddOn Unknown Unknown x,No conditions available", false},
		"cluster manager":             {"ClusterManager Applied True x,", true},
		"cluster manager, valid":      {"ClusterManager ValidFeatureGates True x,", false},
		"an object":                   {"ClusterManagementAddOn Present True ComponentsDeployed,", true},
		"an object that failed":       {"ClusterManagementAddOn Present False FailedDeployingComponent,", false},
		"a component that is off":     {"Component NotPresent True ComponentDisabled,", true},
		"a component that goes":       {"Component NotPresent False ResourcesPresent,", false},
	} {
		told, message, _ := strings.Cut(want.entry, ",")
		parts := strings.SplitN(told, " ", 4)
		u := mce("2.10.0", "Progressing")
		u.Object["status"].(map[string]any)["components"] = []any{map[string]any{"name": "x", "kind": parts[0],
			"type": parts[1], "status": parts[2], "reason": parts[3], "message": message}}
		if got := len(unready(u)) == 0; got != want.ready {
			t.Errorf("%s: ready %t", name, got)
		}
	}
}
