package update_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/update"
	"github.com/hcctl/hcctl/pkg/step"
	"github.com/hcctl/hcctl/pkg/step/steptest"
)

// world has the hosted cluster kv-00 with these parts of its spec and status.
func world(t *testing.T, spec, status hostedtest.Object) *hostedtest.World {
	t.Helper()
	w := hostedtest.NewWorld(t)
	spec["infraID"], spec["release"] = "kv-00-abcde", hostedtest.Object{"image": "registry.example/x:4.20.3-multi"}
	spec["platform"] = hostedtest.Object{"type": "KubeVirt"}
	w.Set("HostedCluster", hostedtest.Object{
		"metadata": hostedtest.Object{"namespace": "clusters", "name": "kv-00", "uid": "u", "generation": int64(2),
			"labels": hostedtest.Object{"env": "test", "team": "a"}},
		"spec": spec, "status": status,
	})
	return w
}

// asking is a request for these options.
func asking(overlay func(*options.Cluster), names ...string) update.Request {
	return update.Request{Namespace: "clusters", Name: "kv-00", Overlay: overlay,
		Given: slices.DeleteFunc(update.Fields(), func(f options.Field) bool { return !slices.Contains(names, f.Name) })}
}

func TestPrepare(t *testing.T) {
	proxied := hostedtest.Object{"configuration": hostedtest.Object{"proxy": hostedtest.Object{
		"httpProxy": "http://old.example:3128", "noProxy": ".example.com"}}}
	for name, tc := range map[string]struct {
		spec    hostedtest.Object
		request update.Request
		want    []string
		effect  option.Effect
	}{
		"a setting": {hostedtest.Object{}, asking(func(o *options.Cluster) { o.AuditProfile = "AllRequestBodies" },
			"auditProfile"),
			[]string{"spec.configuration.apiServer.audit.profile: not set -> AllRequestBodies"}, option.RestartsControlPlane},
		"the same again": {hostedtest.Object{"kubeAPIServerDNSName": "kube.example.com"},
			asking(func(o *options.Cluster) { o.KASDNSName = "kube.example.com" }, "kasDNSName"), nil, option.RestartsNothing},
		"one of two proxies keeps the other": {proxied,
			asking(func(o *options.Cluster) { o.HTTPSProxy = "http://new.example:3128" }, "httpsProxy"),
			[]string{"spec.configuration.proxy.httpsProxy: not set -> http://new.example:3128"}, option.ReplacesNodes},
		"nothing but no proxy": {proxied, asking(func(o *options.Cluster) { o.NoProxy = nil }, "noProxy"),
			[]string{"spec.configuration.proxy.noProxy: .example.com -> not set"}, option.ReplacesNodes},
		"labels are added": {hostedtest.Object{},
			asking(func(o *options.Cluster) { o.Labels = map[string]string{"room": "3"} }, "labels"),
			[]string{"metadata.labels[room]: not set -> 3"}, option.RestartsNothing},
		"an owner": {hostedtest.Object{}, asking(func(o *options.Cluster) { o.Owner = "e2e" }, "owner"),
			[]string{"metadata.labels.hcctl.dev/owner: not set -> e2e"}, option.RestartsNothing},
		"labels are removed": {hostedtest.Object{}, update.Request{Namespace: "clusters", Name: "kv-00",
			Overlay: func(*options.Cluster) {}, RemoveLabels: []string{"env", "none"}},
			[]string{"metadata.labels[env]: test -> not set"}, option.RestartsNothing},
		"an annotation beside that of an option": {hostedtest.Object{}, asking(func(o *options.Cluster) {
			o.Annotations, o.ControlPlaneOperatorImage = options.Annotations{"a.example/b": "c"}, "registry.example/cpo:1"
		}, "annotations", "controlPlaneOperatorImage"), []string{"metadata.annotations[a.example/b]: not set -> c",
			"metadata.annotations." + hyperv1.ControlPlaneOperatorImageAnnotation + ": not set -> registry.example/cpo:1"},
			option.RestartsControlPlane},
		"a map is replaced": {hostedtest.Object{"nodeSelector": hostedtest.Object{"a": "1", "b": "2"}},
			asking(func(o *options.Cluster) { o.NodeSelector = map[string]string{"b": "3"} }, "nodeSelector"),
			[]string{`spec.nodeSelector: {"a":"1","b":"2"} -> {"b":"3"}`}, option.RestartsControlPlane},
	} {
		t.Run(name, func(t *testing.T) {
			u, err := update.Prepare(t.Context(), world(t, tc.spec, hostedtest.Object{}).Client, tc.request)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range u.Changes {
				got = append(got, c.String())
			}
			if !slices.Equal(got, tc.want) || u.Effect != tc.effect {
				t.Errorf("%q with effect %v, want %q with %v", got, u.Effect, tc.want, tc.effect)
			}
		})
	}
}

// TestExpiry: a change counts from now, by the API server's clock, as a creation long ago says nothing of what is
// wanted.
func TestExpiry(t *testing.T) {
	w := world(t, hostedtest.Object{}, hostedtest.Object{})
	u, err := update.Prepare(t.Context(), w.Client, asking(func(o *options.Cluster) { o.Expires = "6h" }, "expires"))
	if err != nil || len(u.Changes) != 1 {
		t.Fatalf("%+v, %v", u, err)
	}
	text, _ := u.Changes[0].Want.(string)
	at, err := time.Parse(time.RFC3339, text)
	if left := at.Sub(w.Now()); err != nil || left > 6*time.Hour || left < 6*time.Hour-time.Minute {
		t.Errorf("it expires at %q: %v", text, err)
	}
}

func TestRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		spec    hostedtest.Object
		request update.Request
		want    string
	}{
		"a feature set is left": {
			hostedtest.Object{"configuration": hostedtest.Object{"featureGate": hostedtest.Object{
				"featureSet": "TechPreviewNoUpgrade"}}},
			asking(func(o *options.Cluster) { o.FeatureSet = "Default" }, "featureSet"),
			"the cluster has TechPreviewNoUpgrade, which HyperShift does not allow to be removed"},
		"a paused cluster": {hostedtest.Object{"pausedUntil": "true"},
			asking(func(o *options.Cluster) { o.KASDNSName = "a.example.com" }, "kasDNSName"), "is paused"},
		"a wrong value": {hostedtest.Object{}, asking(func(o *options.Cluster) { o.AuditProfile = "All" }, "auditProfile"),
			"All"},
		"a label of HyperShift": {hostedtest.Object{}, update.Request{Namespace: "clusters", Name: "kv-00",
			Overlay: func(*options.Cluster) {}, RemoveLabels: []string{hostedcluster.InfraLabel}},
			"hcctl and HyperShift work by it"},
		"a label set and removed": {hostedtest.Object{}, update.Request{Namespace: "clusters", Name: "kv-00",
			Overlay: func(o *options.Cluster) { o.Labels = map[string]string{"x": "y"} }, RemoveLabels: []string{"x"}},
			"--labels sets it: give only one of them"},
		"no such cluster": {hostedtest.Object{}, update.Request{Namespace: "clusters", Name: "kv-99",
			Overlay: func(*options.Cluster) {}}, `no hosted cluster "kv-99"`},
	} {
		t.Run(name, func(t *testing.T) {
			u, err := update.Prepare(t.Context(), world(t, tc.spec, hostedtest.Object{}).Client, tc.request)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%+v, %v, want %q", u, err, tc.want)
			}
		})
	}
}

// TestSteps: the change is written once, and followed until the operator accepts or refuses that generation.
func TestSteps(t *testing.T) {
	for name, tc := range map[string]struct {
		condition hostedtest.Object
		state     step.State
		says      string
	}{
		"accepted": {hostedtest.Object{"status": "True", "observedGeneration": int64(2)}, step.StateOK, "the operator says"},
		"not seen": {hostedtest.Object{"status": "True", "observedGeneration": int64(1)}, step.StatePending,
			"not processed it"},
		"refused": {hostedtest.Object{"status": "False", "reason": "InvalidConfiguration", "message": "no such name",
			"observedGeneration": int64(2)}, step.StateBroken, "no such name"},
	} {
		t.Run(name, func(t *testing.T) {
			tc.condition["type"] = string(hyperv1.ValidHostedClusterConfiguration)
			w := world(t, hostedtest.Object{}, hostedtest.Object{"conditions": []any{tc.condition}})
			u, err := update.Prepare(t.Context(), w.Client,
				asking(func(o *options.Cluster) { o.KASDNSName = "kube.example.com" }, "kasDNSName"))
			if err != nil || steptest.IDs(u.Steps()) != "cluster/fields cluster/accepted" {
				t.Fatalf("%s, %v", steptest.IDs(u.Steps()), err)
			}
			write, accept := u.Steps()[0], u.Steps()[1]
			steptest.Expect(t, write.Check(t.Context(), nil), step.StateMissing,
				"spec.kubeAPIServerDNSName: not set -> kube.example.com", "HostedCluster clusters/kv-00")
			if change, err := write.Apply(t.Context()); err != nil || change != step.Configured {
				t.Fatalf("%s, %v", change, err)
			}
			if f := write.Check(t.Context(), nil); f.State != step.StateOK {
				t.Errorf("after the write: %v", f)
			}
			if f := accept.Check(t.Context(), nil); f.State != tc.state || !strings.Contains(f.Message, tc.says) {
				t.Errorf("got %v, want %v: %s", f, tc.state, tc.says)
			}
			u.Wait = false
			if ids := steptest.IDs(u.Steps()); ids != "cluster/fields" {
				t.Errorf("without waiting: %s", ids)
			}
		})
	}
}

// TestSomebodyElse: what somebody else has changed since is not overwritten.
func TestSomebodyElse(t *testing.T) {
	w := world(t, hostedtest.Object{}, hostedtest.Object{})
	u, err := update.Prepare(t.Context(), w.Client,
		asking(func(o *options.Cluster) { o.KASDNSName = "kube.example.com" }, "kasDNSName"))
	if err != nil {
		t.Fatal(err)
	}
	w.Set("HostedCluster", hostedtest.Object{
		"metadata": hostedtest.Object{"namespace": "clusters", "name": "kv-00", "uid": "u"},
		"spec": hostedtest.Object{"kubeAPIServerDNSName": "mine.example.com",
			"platform": hostedtest.Object{"type": "KubeVirt"}}})
	var changed *hostedcluster.ChangedError
	if _, err := u.Steps()[0].Apply(t.Context()); !errors.As(err, &changed) {
		t.Errorf("got %v", err)
	}
}

// TestANameThatAnotherHas: the API server cannot get a name of another cluster or of a Route.
func TestANameThatAnotherHas(t *testing.T) {
	w := world(t, hostedtest.Object{}, hostedtest.Object{})
	w.Put(t, `{apiVersion: hypershift.openshift.io/v1beta1, kind: HostedCluster, metadata: {name: kv-09, namespace: lab},
  spec: {kubeAPIServerDNSName: kube.example.com}}
---
{apiVersion: route.openshift.io/v1, kind: Route, metadata: {name: r, namespace: lab-kv-09},
	spec: {host: api.example.com}}`)
	for name, want := range map[string]string{
		"kube.example.com":  "host kube.example.com is that of hosted cluster lab/kv-09",
		"api.example.com":   "host api.example.com is that of Route lab-kv-09/r of hosted cluster lab/kv-09",
		"other.example.com": "",
	} {
		_, err := update.Prepare(t.Context(), w.Client, asking(func(o *options.Cluster) { o.KASDNSName = name },
			"kasDNSName"))
		var taken *hostedcluster.TakenError
		if errors.As(err, &taken) != (want != "") || taken != nil && taken.Error() != want {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}
