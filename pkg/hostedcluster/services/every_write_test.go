package services_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
)

const (
	everyDex = `
issuer: https://192.168.216.41:5556/dex
storage: {type: memory}
enablePasswordDB: true
`
	aTeam    = "{apiVersion: v1, kind: Namespace, metadata: {name: team}}\n"
	everyKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEXWHqGh4ka6JjJcFuPmKXaIYzZKXiB4GVQEmWU2IMp1 someone@example.com\n"
	everyMgm = `
{apiVersion: hypershift.openshift.io/v1beta1, kind: HostedCluster, metadata: {name: kv-00, namespace: clusters},
  spec: {infraID: kv-00-abcde, dns: {baseDomain: example.com}},
  status: {kubeconfig: {name: kv-00-admin-kubeconfig}, controlPlaneEndpoint: {host: 192.168.216.33, port: 6443}}}
---
{apiVersion: metallb.io/v1beta1, kind: MetalLB, metadata: {name: metallb, namespace: lb}}
---
{apiVersion: metallb.io/v1beta1, kind: IPAddressPool, metadata: {name: tenants, namespace: lb},
  spec: {addresses: [192.168.216.32/27], serviceAllocation: {namespaces: [clusters-kv-00]}}}
---
{apiVersion: v1, kind: Node, metadata: {name: host-0, labels: {kubernetes.io/hostname: host-0, rack: r0}}}
---
{apiVersion: kubevirt.io/v1, kind: VirtualMachineInstance, metadata: {name: w, namespace: clusters-kv-00},
  status: {phase: Running, nodeName: host-0}}
`
	everyGuest = `
{apiVersion: v1, kind: Node, metadata: {name: w}, spec: {providerID: "kubevirt://w"}}
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: old, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}}
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: guest-fast}}
`
)

// everyWorld is a management cluster and its hosted cluster, which keep what is written to them.
type everyWorld struct {
	management, hosted *kubetest.API
}

func newEveryWorld(t *testing.T) everyWorld {
	t.Helper()
	w := everyWorld{kubetest.Serve(t), kubetest.Serve(t)}
	w.management.Register(t, kube.IPAddressPool, kube.MetalLB, kube.HostedCluster, kube.VirtualMachineInstance,
		kindOf("networking.k8s.io", "NetworkPolicy", "networkpolicies", true))
	w.hosted.Register(t, kindOf("rbac.authorization.k8s.io", "ClusterRoleBinding", "clusterrolebindings", false))
	w.management.Put(t, everyMgm)
	w.hosted.Put(t, everyGuest)
	return w
}

// copy is a world with the same objects.
func (w everyWorld) copy(t *testing.T) everyWorld {
	t.Helper()
	to := newEveryWorld(t)
	for _, pair := range []struct{ from, to *kubetest.API }{{w.management, to.management}, {w.hosted, to.hosted}} {
		for _, o := range pair.from.Objects() {
			data, err := json.Marshal(o)
			if err != nil {
				t.Fatal(err)
			}
			pair.to.Put(t, string(data))
		}
	}
	return to
}

func kindOf(group, kind, plural string, namespaced bool) kube.Kind {
	k := kube.Kind{Plural: plural, Namespaced: namespaced}
	k.Group, k.Version, k.Kind = group, "v1", kind
	return k
}

// run does what create does with these options until all services are as they are to be, and returns how many writes
// that took. killed tells that it was.
func (w everyWorld) run(t *testing.T, o options.Validated, after int) (writes int, killed bool) {
	t.Helper()
	ctx, p := kubetest.NewProcess(t.Context(), after)
	defer p.Kill()
	_, kubeconfig := kubetest.Hosted(t, p.Through(w.hosted))
	w.management.Put(t, adminKubeconfig(kubeconfig))
	config := kubetest.Connect(p.Through(w.management))
	config.ContentType = "application/json"
	c, err := kube.New(config)
	if err != nil {
		t.Fatal(err)
	}
	const tries = 4
	for _, s := range w.steps(c, o) {
		f := step.Finding{}
		for range tries {
			if f = s.Check(ctx, nil); f.State != step.StateMissing {
				break
			}
			if _, err := s.Apply(ctx); err != nil && ctx.Err() == nil {
				t.Fatalf("%s: %v", s.ID, err)
			}
			if ctx.Err() != nil {
				return p.Writes(), true
			}
		}
		if ctx.Err() != nil {
			return p.Writes(), true
		}
		if f.State != step.StateOK {
			t.Fatalf("%s: %+v", s.ID, f)
		}
	}
	return p.Writes(), false
}

func adminKubeconfig(kubeconfig string) string {
	data, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{
		"name": "kv-00-admin-kubeconfig", "namespace": "clusters"}, "data": map[string]any{"kubeconfig": []byte(kubeconfig)}})
	if err != nil {
		panic(err)
	}
	return string(data)
}

// steps are those of the services, written and not waited for.
func (w everyWorld) steps(c *kube.Client, o options.Validated) []step.Step {
	okay := func(context.Context, step.Reads) step.Finding { return step.OK("") }
	return services.Among(c, o, services.Milestones{
		Steps: []step.Step{{ID: "cluster/api", Check: okay}}, API: "cluster/api", WriteOnly: true,
		Reading: func(check func(context.Context, kube.Reader, *hyperv1.HostedCluster) step.Finding) kube.Check {
			return func(ctx context.Context, r kube.Reader) step.Finding {
				hc := &hyperv1.HostedCluster{}
				if err := r.Get(ctx, client.ObjectKey{Namespace: "clusters", Name: "kv-00"}, hc); err != nil {
					return kube.Unknown(err)
				}
				return check(ctx, r, hc)
			}
		},
	})
}

// state is what is there, without what is made at random and what depends on it: keys, certificates, digests, versions
// and names of managed fields.
func (w everyWorld) state(t *testing.T) string {
	t.Helper()
	var lines []string
	for name, api := range map[string]*kubetest.API{"management": w.management, "hosted": w.hosted} {
		for _, o := range api.Objects() {
			meta, _ := o["metadata"].(map[string]any)
			if meta["name"] == "kv-00-admin-kubeconfig" {
				continue
			}
			for _, key := range []string{"resourceVersion", "managedFields", "creationTimestamp", "uid", "generation"} {
				delete(meta, key)
			}
			if o["kind"] == "Secret" || o["kind"] == "ConfigMap" {
				data, _ := o["data"].(map[string]any)
				for key := range data {
					data[key] = "..."
				}
			}
			plain(o)
			text, err := json.Marshal(o)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, name+" "+string(text))
		}
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

// plain takes out the digests of contents, and times.
func plain(v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			if slices.Contains([]string{"hcctl.dev/manifest", "hcctl.dev/dex-content", "hcctl.dev/certificate-until"}, key) {
				v[key] = "..."
				continue
			}
			plain(inner)
		}
	case []any:
		for _, inner := range v {
			plain(inner)
		}
	}
}

func everyOptions(t *testing.T, change func(*options.Cluster)) options.Validated {
	t.Helper()
	o := options.Defaults()
	o.Name, o.NetworkType, o.MetalLBPool = "kv-00", "Other", "tenants"
	o.CNI = options.File{Path: "cni.yaml", Content: []byte(plugIn)}
	o.GuestManifests = options.Files{{Path: "team.yaml", Content: []byte(aTeam)}}
	o.InfraStorageClassMapping, o.GuestDefaultStorageClass = []string{"fast/guest-fast"}, "guest-fast"
	o.NodeTopology = options.List{"host", "rack"}
	o.Services.Listed = true
	o.Services.JumpHost.Image = "registry.example/openssh:9"
	o.Services.JumpHost.AuthorizedKeys = options.File{Path: "keys", Content: []byte(everyKey)}
	o.Services.Dex.Config = options.File{Path: "dex.yaml", Content: []byte(everyDex)}
	o.Services.Identity.Type = options.IdentityOIDC
	o.Services.Identity.Groups = map[string]string{"admins": "cluster-admin", "devs": "edit"}
	if change != nil {
		change(&o)
	}
	valid, err := o.Validate()
	if err != nil {
		t.Fatal(err)
	}
	return valid
}

// TestKilledAtEveryWrite kills the run that brings, changes or removes all services after each of its writes: the same
// command again ends in the same state, and once more it writes nothing.
func TestKilledAtEveryWrite(t *testing.T) {
	whole := everyOptions(t, nil)
	changed := everyOptions(t, func(o *options.Cluster) {
		o.CNI.Content = []byte(strings.Replace(plugIn, "namespace: cni", "namespace: cni, labels: {version: '2'}", 1))
		o.Services.JumpHost.Port, o.Services.JumpHost.Image = 2222, "registry.example/openssh:10"
		o.Services.Dex.Config.Content = []byte(strings.Replace(everyDex, "5556/dex", "5557/dex", 1))
		o.Services.Identity.Groups = map[string]string{"devs": "view"}
	})
	without := everyOptions(t, func(o *options.Cluster) { o.Services.JumpHost = options.Defaults().Services.JumpHost })
	none := everyOptions(t, func(o *options.Cluster) {
		o.Services = options.Defaults().Services
		o.Services.Listed = true
	})
	for name, tc := range map[string]struct {
		before *options.Validated
		run    options.Validated
		writes int
		gone   string
	}{
		"brought":             {nil, whole, 20, "nothing"},
		"changed":             {&whole, changed, 9, "openssh:9"},
		"one of them removed": {&whole, without, 6, `"name":"jump-host`},
		"all removed":         {&whole, none, 4, `"name":"clusters-kv-00-services"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := newEveryWorld(t)
			if tc.before != nil {
				before.run(t, *tc.before, 0)
			}
			begin := func() everyWorld { return before.copy(t) }
			at := begin()
			writes, _ := at.run(t, tc.run, 0)
			want := at.state(t)
			if strings.Contains(want, tc.gone) {
				t.Errorf("%s is still there:\n%s", tc.gone, want)
			}
			if writes < tc.writes {
				t.Fatalf("only %d writes: %d are to be tried", writes, tc.writes)
			}
			for after := 1; after <= writes; after++ {
				w := begin()
				if _, killed := w.run(t, tc.run, after); !killed {
					t.Fatalf("after write %d it was not killed", after)
				}
				w.run(t, tc.run, 0)
				if got := w.state(t); got != want {
					t.Errorf("killed after write %d of %d, it ends in another state:\n%s", after, writes, differing(want, got))
				}
				if again, _ := w.run(t, tc.run, 0); again != 0 {
					t.Errorf("killed after write %d of %d: once more it makes %d writes", after, writes, again)
				}
			}
		})
	}
}

// differing are the lines that only one of two texts has.
func differing(a, b string) string {
	var out []string
	for _, side := range []struct{ sign, in, of string }{{"-", b, a}, {"+", a, b}} {
		for _, line := range strings.Split(side.of, "\n") {
			if !strings.Contains(side.in, line) {
				out = append(out, fmt.Sprintf("%s %s", side.sign, line))
			}
		}
	}
	return strings.Join(out, "\n")
}
