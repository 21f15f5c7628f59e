package follow

import (
	"net"
	"testing"

	"github.com/google/go-cmp/cmp"
	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects/objectstest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestWhoMakesTheIngress(t *testing.T) {
	for name, tc := range map[string]struct {
		ingress ingress
		want    []step.ID
	}{
		"passes through, new":       {ingress{mode: options.IngressAuto, version: "4.20.3"}, nil},
		"passes through, first new": {ingress{mode: options.IngressAuto, version: "4.12.2"}, nil},
		"passes through, old": {ingress{mode: options.IngressAuto, version: "4.12.1"},
			[]step.ID{"ingress/service", "ingress/route"}},
		"passes through, not known": {ingress{mode: options.IngressAuto}, []step.ID{"ingress/service", "ingress/route"}},
		"passes through, asked for": {ingress{mode: options.IngressService, version: "4.20.3"},
			[]step.ID{"ingress/service", "ingress/route"}},
		"passes through, left": {ingress{mode: options.IngressOperator, version: "4.12.0"}, nil},
		"own domain": {ingress{mode: options.IngressAuto, version: "4.20.3", baseDomain: "example.com"},
			[]step.ID{"ingress/service", "hosted/dns"}},
		"own domain, left to the user": {ingress{mode: options.IngressOperator, baseDomain: "example.com"}, nil},
	} {
		var got []step.ID
		for _, s := range tc.ingress.steps(New(nil, "clusters", "kv-00"), nodesStep) {
			got = append(got, s.ID)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	// A version that is known only once the cluster runs.
	auto := ingress{mode: options.IngressAuto}
	hc := hostedtest.Cluster()
	hostedtest.Expect(
		t,
		auto.unlessOperator(New(nil, "clusters", "plain"), nil)(t.Context(), nil, hc),
		"pending: HostedCluster clusters/plain: the hosted cluster does not say its version yet, which decides what creates this",
	)
	hc.Status.Version = &hyperv1.ClusterVersionStatus{Desired: configv1.Release{Version: "4.14.1"}}
	hostedtest.Expect(
		t,
		auto.unlessOperator(New(nil, "clusters", "plain"), nil)(t.Context(), nil, hc),
		"ok: HostedCluster clusters/plain: the HyperShift operator makes it for 4.14.1",
	)
}

func TestIngressObjects(t *testing.T) {
	o := optionstest.Named(nil)
	hc := objects.TypedHostedCluster(optionstest.Valid(t, o), objectstest.Inputs())
	hc.Spec.DNS.BaseDomain, hc.Spec.Platform.Kubevirt.GenerateID = "apps.mgmt.example.com", "abc12"
	ports := map[string]int32{"http": 30080, "https": 30443}
	through, err := objects.YAML(appsService(hc, ports), appsRoute(hc))
	if err != nil {
		t.Fatal(err)
	}
	o.BaseDomain = "example.com"
	own, err := objects.YAML(appsService(objects.TypedHostedCluster(optionstest.Valid(t, o), objectstest.Inputs()), ports))
	if err != nil {
		t.Fatal(err)
	}
	const labels = `  annotations:
    hcctl.dev/hosted-cluster: clusters/kv-00
  labels:
    hypershift.openshift.io/auto-created-for-infra: kv-00-sffhb
    hypershift.openshift.io/infra-id: kv-00-sffhb
`
	const selector = `  selector:
    hypershift.openshift.io/infra-id: kv-00-sffhb
    kubevirt.io: virt-launcher
`
	want := `---
apiVersion: v1
kind: Service
metadata:
` + labels + `  name: default-ingress-passthrough-service-abc12
  namespace: clusters-kv-00
spec:
  ports:
  - name: https-443
    port: 443
    protocol: TCP
    targetPort: 30443
` + selector + `  type: ClusterIP
---
apiVersion: route.openshift.io/v1
kind: Route
metadata:
` + labels + `  name: default-ingress-passthrough-route-abc12
  namespace: clusters-kv-00
spec:
  host: https.apps.kv-00.apps.mgmt.example.com
  tls:
    termination: passthrough
  to:
    kind: Service
    name: default-ingress-passthrough-service-abc12
    weight: 100
  wildcardPolicy: Subdomain
---
apiVersion: v1
kind: Service
metadata:
` + labels + `  name: kv-00-apps
  namespace: clusters-kv-00
spec:
  ports:
  - name: https-443
    port: 443
    protocol: TCP
    targetPort: 30443
  - name: http-80
    port: 80
    protocol: TCP
    targetPort: 30080
` + selector + `  type: LoadBalancer
`
	if diff := cmp.Diff(want, string(through)+string(own)); diff != "" {
		t.Error(diff)
	}
}

func TestSamePorts(t *testing.T) {
	o := optionstest.Named(nil)
	want := appsService(objects.TypedHostedCluster(optionstest.Valid(t, o), objectstest.Inputs()),
		map[string]int32{"https": 30443})
	if !samePorts(want.DeepCopy(), want) {
		t.Error("a Service sends where it sends")
	}
	moved := want.DeepCopy()
	moved.Spec.Ports[0].TargetPort.IntVal = 31000
	other := want.DeepCopy()
	other.Spec.Selector = map[string]string{"kubevirt.io": "virt-launcher"}
	for _, s := range []*corev1.Service{moved, other} {
		if samePorts(s, want) {
			t.Errorf("%v: another target must be seen", s.Spec)
		}
	}
}

func TestIngressDNS(t *testing.T) {
	const domain, address = "apps.kv-00.example.com", "10.0.0.5"
	hostedtest.Expect(
		t,
		evaluateDNS(domain, address, nil, &net.DNSError{IsNotFound: true}),
		"missing: *.apps.kv-00.example.com does not resolve from here; its address is 10.0.0.5",
	)
	hostedtest.Expect(
		t,
		evaluateDNS(domain, address, []string{"10.0.0.9"}, nil),
		"missing: *.apps.kv-00.example.com resolves to 10.0.0.9, not to 10.0.0.5",
	)
	hostedtest.Expect(
		t,
		evaluateDNS(domain, address, []string{"10.0.0.9", address}, nil),
		"ok: *.apps.kv-00.example.com resolves to 10.0.0.5",
	)
	hostedtest.Expect(
		t,
		evaluateDNS(domain, address, nil, &net.DNSError{IsTimeout: true}),
		"unknown: whether *.apps.kv-00.example.com resolves to 10.0.0.5 is not known: the resolver of this machine "+
			"does not answer",
	)
}
