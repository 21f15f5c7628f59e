package jumphost_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services/internal/service"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services/jumphost"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/health/healthtest"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
)

const (
	aKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEXWHqGh4ka6JjJcFuPmKXaIYzZKXiB4GVQEmWU2IMp1 someone@example.com"
	home = "clusters-kv-00-services"
)

func kind(group, name, plural string) kube.Kind {
	return service.RefTo(group, "v1", name, plural, "").Kind
}

// tenant is a hosted cluster with these options.
func tenant(t *testing.T, api *kubetest.API, change func(*options.Cluster)) service.Tenant {
	t.Helper()
	o := options.Defaults()
	o.Name = "kv-00"
	o.Services.JumpHost.Image = "registry.example/openssh:9"
	o.Services.JumpHost.AuthorizedKeys = options.File{Path: "keys", Content: []byte(aKey)}
	if change != nil {
		change(&o)
	}
	valid, err := o.Validate()
	if err != nil {
		t.Fatal(err)
	}
	hc := &hyperv1.HostedCluster{}
	hc.Namespace, hc.Name, hc.UID, hc.Spec.InfraID = "clusters", "kv-00", types.UID("uid-1"), "kv-00-abcde"
	hc.Status.ControlPlaneEndpoint = hyperv1.APIEndpoint{Host: "192.168.216.33", Port: 443}
	return service.Tenant{Options: valid, Cluster: hc, Client: api.Client, Done: &service.Done{},
		Last: valid.TenantServices.JumpHost == nil}
}

func serve(t *testing.T) *kubetest.API {
	t.Helper()
	api := kubetest.Serve(t)
	api.Register(t, kube.IPAddressPool, kube.MetalLB, kube.VirtualMachineInstance,
		kind("networking.k8s.io", "NetworkPolicy", "networkpolicies"))
	return api
}

func expect(t *testing.T, f step.Finding, want step.State, says string) {
	t.Helper()
	if f.State != want || !strings.Contains(f.Object+": "+f.Message, says) {
		t.Fatalf("got %+v, want %s with %q", f, want, says)
	}
}

func check(t *testing.T, n service.Tenant) step.Finding {
	t.Helper()
	return jumphost.Service().Check(t.Context(), n, n.Client)
}

func apply(t *testing.T, n service.Tenant) {
	t.Helper()
	if _, err := jumphost.Service().Apply(t.Context(), n); err != nil {
		t.Fatal(err)
	}
}

func TestJumpHost(t *testing.T) {
	api := serve(t)
	api.Put(t, `
{apiVersion: metallb.io/v1beta1, kind: MetalLB, metadata: {name: metallb, namespace: lb}}
---
{apiVersion: metallb.io/v1beta1, kind: IPAddressPool, metadata: {name: tenants, namespace: lb},
  spec: {addresses: [192.168.216.32/27], serviceAllocation: {namespaces: [clusters-kv-00]}}}
`)
	n := tenant(t, api, func(o *options.Cluster) {
		o.MetalLBPool, o.Services.JumpHost.Port, o.Services.JumpHost.Address = "tenants", 2222, "192.168.216.40"
	})
	expect(t, check(t, n), step.StateMissing, "Namespace clusters-kv-00-services")
	apply(t, n)
	pool := api.Object(t, kube.IPAddressPool, "lb", "tenants")
	if got := strings.Join(hostedcluster.PoolNamespaces(pool), " "); got != "clusters-kv-00 clusters-kv-00-services" {
		t.Errorf("the pool serves %s", got)
	}
	svc := api.Object(t, kind("", "Service", "services"), home, "jump-host")
	if kube.Text(svc, "spec", "loadBalancerIP") != "192.168.216.40" ||
		svc.GetAnnotations()["metallb.universe.tf/address-pool"] != "tenants" {
		t.Errorf("Service %v", svc.Object)
	}
	hostKey := api.Object(t, kind("", "Secret", "secrets"), home, "jump-host-host-key").Object["data"]
	expect(t, check(t, n), step.StatePending, "Deployment "+home+"/jump-host")

	// Up, and with an address. OpenShift has told by then which users the namespace may run.
	up(t, api, "192.168.216.41")
	expect(t, check(t, n), step.StatePending, "has the address 192.168.216.41, and not yet 192.168.216.40")
	up(t, api, "192.168.216.40")
	expect(t, check(t, n), step.StateOK, "at 192.168.216.40, port 2222")
	ns := api.Object(t, kind("", "Namespace", "namespaces"), "", home)
	ns.SetAnnotations(map[string]string{"openshift.io/sa.scc.uid-range": "1000680000/10000",
		hostedcluster.ClusterAnnotation: "clusters/kv-00", hostedcluster.ClusterUIDAnnotation: "uid-1"})
	put(t, api, ns.Object)
	expect(t, check(t, n), step.StateMissing, "was not applied from")
	apply(t, n)
	up(t, api, "192.168.216.40")
	expect(t, check(t, n), step.StateOK, "port 2222")
	d := api.Object(t, kind("apps", "Deployment", "deployments"), home, "jump-host")
	if data, err := json.Marshal(d.Object); err != nil || !strings.Contains(string(data), `"runAsUser":1000680000`) {
		t.Errorf("it does not run as a user of its namespace: %s, %v", data, err)
	}
	if got := api.Object(t, kind("", "Secret", "secrets"), home, "jump-host-host-key").Object["data"]; !equal(got, hostKey) {
		t.Error("the host key has changed")
	}

	// Again, and described: nothing is written.
	before := len(api.Writes())
	expect(t, check(t, n), step.StateOK, "")
	api.Put(t, `{apiVersion: kubevirt.io/v1, kind: VirtualMachineInstance, metadata: {name: w, namespace: clusters-kv-00},
  status: {phase: Running, interfaces: [{ipAddress: 10.128.2.7}]}}`)
	about, err := jumphost.Service().Describe(t.Context(), service.Tenant{Cluster: n.Cluster, Client: n.Client}, n.Client)
	if err != nil || about == nil || about.State != step.StateOK {
		t.Fatalf("%+v, %v", about, err)
	}
	if about.Commands[0] != "ssh -J jump@192.168.216.40:2222 core@10.128.2.7" ||
		!strings.HasPrefix(about.Facts[3].Value, "SHA256:") ||
		!strings.HasPrefix(about.Facts[4].Value, "[192.168.216.40]:2222 ecdsa-sha2-nistp256 ") {
		t.Errorf("%+v", about)
	}
	if len(api.Writes()) != before {
		t.Error("a look has written")
	}

	// Taken out of the document: it goes, with its namespace, and the pool is as it was.
	gone := tenant(t, api, func(o *options.Cluster) {
		o.MetalLBPool, o.Services = "tenants", options.Defaults().Services
		o.Services.Listed = true
	})
	beside := gone
	beside.Last = false // another service stays, and with it the namespace
	expect(t, jumphost.Service().Removed(t.Context(), beside, gone.Client), step.StateMissing, "no longer asked for")
	if _, err := jumphost.Service().Remove(t.Context(), beside); err != nil {
		t.Fatal(err)
	}
	expect(t, jumphost.Service().Removed(t.Context(), beside, gone.Client), step.StateOK, "there is none")
	api.Object(t, kind("", "Namespace", "namespaces"), "", home)
	expect(t, jumphost.Service().Removed(t.Context(), gone, gone.Client), step.StateMissing, "no service needs it")
	if _, err := jumphost.Service().Remove(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	expect(t, jumphost.Service().Removed(t.Context(), gone, gone.Client), step.StateOK, "there is none")
	pool = api.Object(t, kube.IPAddressPool, "lb", "tenants")
	if got := strings.Join(hostedcluster.PoolNamespaces(pool), " "); got != "clusters-kv-00" ||
		pool.GetAnnotations()[hostedcluster.ServesPrefix+home] != "" {
		t.Errorf("the pool serves %s, with %v", got, pool.GetAnnotations())
	}
}

func equal(a, b any) bool { return strings.Compare(text(a), text(b)) == 0 }

func text(a any) string {
	m, _ := a.(map[string]any)
	out := ""
	for _, key := range []string{"ssh_host_ecdsa_key", "ssh_host_ecdsa_key.pub"} {
		s, _ := m[key].(string)
		out += s
	}
	return out
}

// up has the jump host run at an address.
func up(t *testing.T, api *kubetest.API, address string) {
	t.Helper()
	d := api.Object(t, kind("apps", "Deployment", "deployments"), home, "jump-host")
	healthtest.RollOut(d)
	svc := api.Object(t, kind("", "Service", "services"), home, "jump-host")
	svc.Object["status"] = map[string]any{"loadBalancer": map[string]any{"ingress": []any{map[string]any{"ip": address}}}}
	put(t, api, d.Object)
	put(t, api, svc.Object)
}

func put(t *testing.T, api *kubetest.API, object map[string]any) {
	t.Helper()
	data, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	api.Put(t, string(data))
}

// A namespace of that name that is not this cluster's is never written to, nor removed.
func TestForeignNamespaces(t *testing.T) {
	for name, ns := range map[string]string{
		"somebody's": `{apiVersion: v1, kind: Namespace, metadata: {name: clusters-kv-00-services}}`,
		"with copied labels": `{apiVersion: v1, kind: Namespace, metadata: {name: clusters-kv-00-services, labels:
  {app.kubernetes.io/managed-by: hcctl}, annotations: {hcctl.dev/hosted-cluster: clusters/kv-00,
  hcctl.dev/hosted-cluster-uid: uid-1}}}`,
		"of a cluster before": `{apiVersion: v1, kind: Namespace, metadata: {name: clusters-kv-00-services, labels:
  {app.kubernetes.io/managed-by: hcctl}, annotations: {hcctl.dev/hosted-cluster: clusters/kv-00,
  hcctl.dev/hosted-cluster-uid: uid-0}, managedFields: [{manager: hcctl, operation: Update, apiVersion: v1,
  fieldsType: FieldsV1, fieldsV1: {}}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			api := serve(t)
			api.Put(t, ns)
			n := tenant(t, api, nil)
			expect(t, check(t, n), step.StateBroken, "writes nothing into it")
			if _, err := jumphost.Service().Apply(t.Context(), n); err == nil {
				t.Error("it was written to")
			}
			if _, err := jumphost.Service().Remove(t.Context(), n); err == nil {
				t.Error("it was removed")
			}
			if about, err := jumphost.Service().Describe(t.Context(), n, n.Client); about != nil || err != nil {
				t.Errorf("%+v, %v", about, err)
			}
			for _, w := range api.Writes() {
				if !strings.HasPrefix(w.String(), "create namespaces") {
					t.Errorf("wrote %s", w)
				}
			}
		})
	}
}

// A namespace that is going, of whatever cluster it was, is waited for.
func TestANamespaceThatIsBeingDeleted(t *testing.T) {
	api := serve(t)
	api.Put(t, `{apiVersion: v1, kind: Namespace, metadata: {name: clusters-kv-00-services, deletionTimestamp:
  "2026-01-02T03:04:05Z", finalizers: [x], labels: {app.kubernetes.io/managed-by: hcctl}, annotations: {
  hcctl.dev/hosted-cluster: clusters/kv-00, hcctl.dev/hosted-cluster-uid: uid-0}}}`)
	expect(t, check(t, tenant(t, api, nil)), step.StatePending, "it is being deleted")
}

// A namespace that an administrator has reserved for this cluster is used as it is; one for another cluster is not.
func TestReservedNamespaces(t *testing.T) {
	for cluster, want := range map[string]step.State{"clusters/kv-00": step.StateMissing, "clusters/kv-01": step.StateBroken} {
		api := serve(t)
		api.Put(t, `{apiVersion: v1, kind: Namespace, metadata: {name: clusters-kv-00-services, labels:
  {app.kubernetes.io/managed-by: hcctl}, annotations: {hcctl.dev/reserved: "true", hcctl.dev/hosted-cluster: `+cluster+`}}}`)
		n := tenant(t, api, nil)
		f := check(t, n)
		if f.State != want {
			t.Errorf("%s: %+v", cluster, f)
		}
		if _, err := jumphost.Service().Apply(t.Context(), n); err == nil && want == step.StateBroken {
			t.Errorf("%s: it was written to", cluster)
		}
		ns := api.Object(t, kind("", "Namespace", "namespaces"), "", home)
		if uid := hostedcluster.MarkOf(ns).UID; uid != "" {
			t.Errorf("%s: the namespace was written to: UID %q", cluster, uid)
		}
	}
}

func TestKeysFromASecret(t *testing.T) {
	api := serve(t)
	n := tenant(t, api, func(o *options.Cluster) {
		o.Services.JumpHost.AuthorizedKeys, o.Services.JumpHost.AuthorizedKeysSecret = options.File{}, "people"
	})
	if _, err := jumphost.Service().Apply(t.Context(), n); err == nil || !strings.Contains(err.Error(), "Secret clusters/people") {
		t.Errorf("without the Secret: %v", err)
	}
	expect(t, check(t, n), step.StateBroken, "Secret clusters/people: does not exist")
	api.Put(t, "{apiVersion: v1, kind: Secret, metadata: {name: people, namespace: clusters}, data: {authorized_keys: bm9uZQ==}}")
	expect(t, check(t, n), step.StateBroken, "line 1 is not a public key")
	store := func(key string) {
		api.Put(t, "{apiVersion: v1, kind: Secret, metadata: {name: people, namespace: clusters}, stringData: {}, data: "+
			"{authorized_keys: "+key+"}}")
	}
	store("c3NoLWVkMjU1MTkgQUFBQUMzTnphQzFsWkRJMU5URTVBQUFBSUVYV0hxR2g0a2E2SmpKY0Z1UG1LWGFJWXpaS1hpQjRHVlFFbVdVMklNcDEK")
	expect(t, check(t, n), step.StateMissing, "it is not there")
	apply(t, n)
	expect(t, check(t, n), step.StatePending, "")
}

// It reaches what is the tenant's, and nothing else.
func TestTheNetworkPolicyIsNarrow(t *testing.T) {
	api := serve(t)
	n := tenant(t, api, nil)
	apply(t, n)
	p := api.Object(t, kind("networking.k8s.io", "NetworkPolicy", "networkpolicies"), home, "jump-host")
	var got []string
	for _, rule := range kube.Maps(p, "spec", "egress") {
		data := strings.NewReplacer("map[", "", "]", "", "[", "").Replace(sprint(rule))
		got = append(got, data)
	}
	want := []string{
		"ports:port:22 protocol:TCP to:namespaceSelector:matchLabels:kubernetes.io/metadata.name:clusters-kv-00 " +
			"podSelector:matchLabels:hypershift.openshift.io/infra-id:kv-00-abcde kubevirt.io:virt-launcher",
		"ports:port:6443 protocol:TCP to:namespaceSelector:matchLabels:kubernetes.io/metadata.name:clusters-kv-00 " +
			"podSelector:matchLabels:app:kube-apiserver",
		"ports:port:53 protocol:UDP port:5353 protocol:UDP port:53 protocol:TCP port:5353 protocol:TCP " +
			"to:namespaceSelector:matchLabels:kubernetes.io/metadata.name:openshift-dns " +
			"namespaceSelector:matchLabels:kubernetes.io/metadata.name:kube-system",
		"ports:port:443 protocol:TCP to:ipBlock:cidr:192.168.216.33/32",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if in := sprint(kube.Maps(p, "spec", "ingress")); in != "[map[ports:[map[port:2222 protocol:TCP]]]]" {
		t.Errorf("in comes %s", in)
	}
}

func sprint(v any) string { return fmt.Sprint(v) }
