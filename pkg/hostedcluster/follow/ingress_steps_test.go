package follow

import (
	"context"
	"net"
	"net/http"
	"regexp"
	"testing"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/guest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
	"github.com/hcctl/hcctl/pkg/step/steptest"
)

// router puts the Service of the hosted cluster's router there, with its node ports.
func (m *management) router(ports ...any) {
	m.services.Set(hostedtest.Object{
		"apiVersion": "v1", "kind": "Service",
		"metadata": hostedtest.MetaOf("openshift-ingress", "router-nodeport-default", nil),
		"spec":     hostedtest.Object{"ports": ports},
	})
}

func port(name string, number, nodePort int) hostedtest.Object {
	return hostedtest.Object{"name": name, "port": number, "nodePort": nodePort}
}

// passing are the steps of a cluster whose ingress hcctl passes through.
func (m *management) passing() []step.Step {
	f := New(m.Client, "clusters", "kv-00")
	f.CreateIngress(options.IngressService, "", "")
	return f.Steps(options.WaitNodes)
}

// ownDomain are the steps of a cluster with a base domain of its own.
func (m *management) ownDomain(resolve func(context.Context, string) ([]string, error)) []step.Step {
	f := New(m.Client, "clusters", "kv-00")
	f.CreateIngress(options.IngressAuto, "4.20.3", "example.com")
	f.ingress.resolve = resolve
	return f.Steps(options.WaitNodes)
}

func withOwnDomain(hc *hyperv1.HostedCluster) {
	hc.Spec.DNS.BaseDomain, hc.Spec.Platform.Kubevirt.BaseDomainPassthrough = "example.com", nil
}

func TestTheRouterOfTheHostedCluster(t *testing.T) {
	const service = "/api/v1/namespaces/clusters-kv-00/services/default-ingress-passthrough-service"
	for name, tc := range map[string]struct {
		change  func(*management)
		state   step.State
		words   []string
		recheck time.Duration
	}{
		"none yet": {func(*management) {}, step.StatePending, []string{"has no router yet",
			"Service openshift-ingress/router-nodeport-default of the hosted cluster"}, guest.Timeout},
		"without a node port": {func(m *management) { m.router(port("https", 443, 0), port("http", 80, 30080)) },
			step.StateUnknown, []string{"cannot be asked for the ports of its router", "has no node port https"}, guest.Timeout},
		"not to be asked": {func(m *management) { m.services.Forbid("") }, step.StateUnknown,
			[]string{"cannot be asked for the ports of its router: not allowed", "HostedCluster clusters/kv-00"}, guest.Timeout},
		"by a refused kubeconfig": {func(m *management) { m.refused() }, step.StateBroken,
			[]string{"is refused", "Secret clusters/kv-00-admin-kubeconfig", "who wrote it"}, 0},
		"there": {func(m *management) { m.router(port("https", 443, 30443)) }, step.StateMissing,
			[]string{"does not exist; node port of the router: 30443",
				"Service clusters-kv-00/default-ingress-passthrough-service"}, 0},
		"the Service may not be read": {func(m *management) {
			m.router(port("https", 443, 30443))
			m.Forbid("get " + service)
		}, step.StateUnknown, []string{"not allowed", "Service clusters-kv-00/default-ingress-passthrough-service"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			m := manage(t)
			tc.change(m)
			f := expect(t, m.passing(), ingressServiceStep, tc.state, tc.words...)
			if f.Recheck != tc.recheck {
				t.Errorf("asks again after %s, want %s", f.Recheck, tc.recheck)
			}
			if tc.state == step.StateMissing {
				return
			}
			apply := steptest.Find(t, m.passing(), ingressServiceStep).Apply
			if change, err := apply(t.Context()); err == nil || change != "" || m.Writes() != "" {
				t.Errorf("%q, %v: nothing is to be written", change, err)
			}
		})
	}
}

func TestTheIngressComesBeforeTheRollout(t *testing.T) {
	f := New(manage(t).Client, "clusters", "kv-00")
	f.CreateIngress(options.IngressService, "", "")
	const nodes = "cluster/accepted cluster/infrastructure cluster/etcd cluster/api"
	for until, want := range map[options.Wait]string{options.WaitAPI: nodes, options.WaitComplete: nodes +
		" cluster/machines hosted/nodes ingress/service ingress/route cluster/rollout cluster/advice cluster/healthy"} {
		steps := f.Steps(until)
		if got := steptest.IDs(steps); got != want {
			t.Errorf("%s: %s", until, got)
		}
		if until != options.WaitComplete {
			continue
		}
		if needs := steptest.Find(t, steps, rolloutStep).Needs; len(needs) != 3 || needs[2] != ingressRouteStep {
			t.Errorf("the roll-out needs %v", needs)
		}
	}
}

func TestTheIngressIsPassedThrough(t *testing.T) {
	m := manage(t)
	m.router(port("https", 443, 30443), port("http", 80, 30080))
	does(t, m.passing(), ingressServiceStep, step.Created)
	expect(t, m.passing(), ingressServiceStep, step.StateOK, "sends to the router's node port 30443")
	m.router(port("https", 443, 31443))
	expect(t, m.passing(), ingressServiceStep, step.StateMissing,
		"does not send to the router's node ports as they are (31443)")
	does(t, m.passing(), ingressServiceStep, step.Configured)
	expect(t, m.passing(), ingressServiceStep, step.StateOK, "31443")
	does(t, m.passing(), ingressServiceStep, step.Unchanged)

	const route = "Route clusters-kv-00/default-ingress-passthrough-route"
	expect(t, m.passing(), ingressRouteStep, step.StateMissing, route,
		"does not exist; host https.apps.kv-00.apps.mgmt.example.com")
	does(t, m.passing(), ingressRouteStep, step.Created)
	expect(t, m.passing(), ingressRouteStep, step.StatePending, "no router has admitted it yet", route)
	m.Refuse("get "+hostedClusterPath, http.StatusForbidden)
	for _, id := range []step.ID{ingressServiceStep, ingressRouteStep} {
		m.Writes()
		_, err := steptest.Find(t, m.passing(), id).Apply(t.Context())
		if err == nil || err.Error()[:30] != "HostedCluster clusters/kv-00: " || m.Writes() != "" {
			t.Errorf("%s without the HostedCluster: %v", id, err)
		}
	}
}

func TestTheRouteOfTheIngress(t *testing.T) {
	route := func(host, service string, conditions ...any) hostedtest.Object {
		return hostedtest.Object{
			"metadata": hostedtest.MetaOf("clusters-kv-00", "default-ingress-passthrough-route", nil),
			"spec":     hostedtest.Object{"host": host, "to": hostedtest.Object{"kind": "Service", "name": service}},
			"status":   hostedtest.Object{"ingress": []any{hostedtest.Object{"conditions": conditions}}},
		}
	}
	const host, service = "https.apps.kv-00.apps.mgmt.example.com", "default-ingress-passthrough-service"
	admitted := func(status, reason, message string) hostedtest.Object {
		return hostedtest.Object{"type": "Admitted", "status": status, "reason": reason, "message": message}
	}
	other := hostedtest.Object{"type": "UnservableInFutureVersions", "status": "True"}
	for name, tc := range map[string]struct {
		route hostedtest.Object
		state step.State
		words []string
	}{
		"no router": {route(host, service), step.StatePending, []string{"no router has admitted"}},
		"not yet":   {route(host, service, other), step.StatePending, []string{"no router has admitted"}},
		"admitted": {route(host, service, other, admitted("True", "", "")), step.StateOK,
			[]string{"*.apps.kv-00.apps.mgmt.example.com passes through"}},
		"not admitted": {route(host, service, admitted("False", "RouteNotAdmitted", "wildcard routes are not\nallowed")),
			step.StatePending, []string{"does not admit it (RouteNotAdmitted): wildcard routes are not allowed",
				"hcctl check --only ingress"}},
		"another host": {route("x.example.com", service, admitted("True", "", "")), step.StateBroken,
			[]string{"is another's: host x.example.com, Service default-ingress-passthrough-service; expected " + host,
				"delete it"}},
		"another Service": {route(host, "mine", admitted("True", "", "")), step.StateBroken,
			[]string{"is another's", "Service mine"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := manage(t)
			m.Set("Route", tc.route)
			expect(t, m.passing(), ingressRouteStep, tc.state,
				append(tc.words, "Route clusters-kv-00/default-ingress-passthrough-route")...)
			m.Forbid("get /apis/route.openshift.io/*")
			expect(t, m.passing(), ingressRouteStep, step.StateUnknown, "not allowed", "Route clusters-kv-00/")
		})
	}
	m := manage(t, func(hc *hyperv1.HostedCluster) { hc.Spec.DNS.BaseDomain = "" })
	expect(t, m.passing(), ingressRouteStep, step.StatePending, "has not filled in spec.dns.baseDomain",
		"HostedCluster clusters/kv-00")
}

// Which operator makes the ingress is known only once the cluster tells its version.
func TestTheVersionDecidesOnTheIngress(t *testing.T) {
	for version, tc := range map[string]struct {
		state step.State
		words string
	}{
		"": {step.StatePending, "does not say its version yet"}, "4.12.1?": {step.StatePending, "has no router yet"},
		"4.12.2?": {step.StateOK, "the HyperShift operator makes it for 4.12.2"},
		"4.20.3":  {step.StateOK, "the HyperShift operator makes it for 4.20.3"},
	} {
		m := manage(t)
		if version != "" {
			m = manage(t, history(version))
		}
		f := New(m.Client, "clusters", "kv-00")
		f.CreateIngress(options.IngressAuto, "", "")
		expect(t, f.Steps(options.WaitNodes), ingressServiceStep, tc.state, tc.words)
	}
	// Who asks for the Service gets it in any version.
	expect(t, manage(t, history("4.20.3")).passing(), ingressServiceStep, step.StatePending, "has no router yet")
}

func TestALoadBalancerForTheIngress(t *testing.T) {
	m := manage(t, withOwnDomain)
	m.router(port("https", 443, 30443), port("http", 80, 30080))
	steps := m.ownDomain(nil)
	does(t, steps, ingressServiceStep, step.Created)
	expect(t, steps, ingressServiceStep, step.StatePending, "has no address yet", "hcctl check --only load-balancer",
		"Service clusters-kv-00/kv-00-apps")
	service := m.Of("Service").Object("clusters-kv-00", "kv-00-apps")
	if ports := service["spec"].(kubetest.Object)["ports"].([]any); len(ports) != 2 {
		t.Errorf("ports %v", ports)
	}
	for _, ingress := range []hostedtest.Object{{"ip": "192.0.2.5"}, {"hostname": "192.0.2.5"}} {
		service["status"] = hostedtest.Object{"loadBalancer": hostedtest.Object{"ingress": []any{ingress}}}
		m.Set("Service", service)
		expect(t, steps, ingressServiceStep, step.StateOK, "has the address 192.0.2.5")
	}
	m.router(port("https", 443, 30443))
	expect(t, steps, ingressServiceStep, step.StateMissing, "(30443)")
	does(t, steps, ingressServiceStep, step.Configured)
	spec := m.Of("Service").Object("clusters-kv-00", "kv-00-apps")["spec"].(kubetest.Object)
	if ports := spec["ports"].([]any); len(ports) != 1 {
		t.Errorf("ports %v of a router without http", ports)
	}

	// Its DNS record is asked for by a name that only a wildcard answers.
	name := regexp.MustCompile(`^hcctl-[a-z0-9]{8}\.apps\.kv-00\.example\.com$`)
	steps = m.ownDomain(func(ctx context.Context, host string) ([]string, error) {
		end, bounded := ctx.Deadline()
		if left := time.Until(end); !name.MatchString(host) || !bounded || left > 2*time.Second || left < time.Second {
			t.Errorf("asked for %s within %s", host, left)
		}
		return []string{"192.0.2.5"}, nil
	})
	expect(t, steps, ingressDNSStep, step.StateOK, "*.apps.kv-00.example.com resolves to 192.0.2.5",
		"Service clusters-kv-00/kv-00-apps")
	steps = m.ownDomain(func(context.Context, string) ([]string, error) { return nil, &net.DNSError{IsNotFound: true} })
	expect(t, steps, ingressDNSStep, step.StateMissing, "does not resolve from here", "set the DNS record")
	m.Forbid("get /api/v1/namespaces/clusters-kv-00/*")
	expect(t, steps, ingressDNSStep, step.StateUnknown, "not allowed", "Service clusters-kv-00/kv-00-apps")
}
