package creation

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/hcctl/hcctl/internal/sandbox"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects/objectstest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// TestRealCRDsTakeEverything sends what each flag's example makes to an API server with the CRDs of HyperShift and
// MetalLB, as a dry run with strict field validation: their schemas, their CEL rules and the API server's own
// validation have their say.
func TestRealCRDsTakeEverything(t *testing.T) {
	c := sandboxClient(t)
	if err := c.Create(
		t.Context(),
		objects.Namespace(optionstest.Valid(t, optionstest.Named(nil))),
	); err != nil &&
		!apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	for name, o := range map[string]options.Cluster{"defaults": optionstest.Named(nil),
		"everything": optionstest.Named(optionstest.Everything)} {
		t.Run(name, func(t *testing.T) { dryRun(t, c, optionstest.Valid(t, o), nil) })
	}
	for _, e := range optionstest.Examples() {
		if e.Flag == "" || e.Beside {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			all, _ := e.Options(t)
			o := optionstest.Valid(t, all)
			dryRun(t, c, o, unknownTo(o))
		})
	}
	t.Run("what the CRDs refuse is refused early", func(t *testing.T) { refusals(t, c) })
	t.Run("a field of a newer HyperShift is an error", func(t *testing.T) { newerIsAnError(t, c) })
}

// unknownTo are the fields of the options that the sandbox's CRDs do not have: those of a newer HyperShift, and
// external OIDC. For the sandbox has the CRDs without any feature gate, while HyperShift installs its Default set,
// which has ExternalOIDC.
func unknownTo(o options.Validated) []string {
	fields := slices.Sorted(maps.Keys(objects.NewerFields(o)))
	if o.OperatorConfiguration.Given() {
		fields = append(fields, "spec.operatorConfiguration.ingressOperator") // of 4.21
	}
	if len(o.OIDC) > 0 {
		fields = append(fields, "spec.configuration.authentication.oidcProviders")
	}
	return fields
}

func sandboxClient(t *testing.T) *kube.Client {
	t.Helper()
	s := sandbox.Start(t, "--profile", "ready")
	cfg, err := clientcmd.BuildConfigFromFlags("", s.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	c, err := kube.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// dryRun creates all objects as a dry run; of fields that only a newer CRD has, the API server must say that it does
// not know them.
func dryRun(t *testing.T, c *kube.Client, o options.Validated, newer []string) {
	t.Helper()
	for _, obj := range objectstest.ObjectsToWrite(o) {
		gvk := obj.GetObjectKind().GroupVersionKind()
		if gvk.Kind == "Namespace" {
			continue
		}
		err := sendDry(t, c, obj)
		if gvk.Kind == "HostedCluster" && len(newer) > 0 {
			if told := hostedcluster.UnknownFields(err); !slices.Equal(told, newer) {
				t.Errorf("HostedCluster: want unknown fields %v, got %v", newer, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s %s: %v", gvk.Kind, kube.Name(obj), err)
		}
	}
}

func sendDry(t *testing.T, c *kube.Client, obj client.Object) error {
	t.Helper()
	return c.Create(t.Context(), obj, client.DryRunAll, client.FieldValidation(metav1.FieldValidationStrict))
}

// refusals are options that the CRDs refuse; Validate has to know each before.
func refusals(t *testing.T, c *kube.Client) {
	t.Helper()
	for name, change := range map[string]func(*options.Cluster){
		"21 node selectors": func(o *options.Cluster) { o.NodeSelector = optionstest.Many(21) },
		"26 tolerations":    func(o *options.Cluster) { o.Toleration = slices.Repeat([]string{"operator=Exists"}, 26) },
		"equal networks":    func(o *options.Cluster) { o.ServiceCIDR = o.ClusterCIDR },
		"three machine networks": func(o *options.Cluster) {
			o.MachineCIDR = options.List{"192.0.2.0/26", "192.0.2.64/26", "2001:db8::/64"}
		},
		"network type":       func(o *options.Cluster) { o.NetworkType = "Flannel" },
		"no Multus with OVN": func(o *options.Cluster) { o.DisableMultiNetwork = true },
		"OVN subnets elsewhere": func(o *options.Cluster) {
			o.NetworkType, o.OVNInternalJoinSubnet = "Calico", "100.70.0.0/16"
		},
		"OVN subnets alike": func(o *options.Cluster) {
			o.OVNInternalJoinSubnet, o.OVNInternalTransitSwitchSubnet = "100.70.0.0/16", "100.70.0.0/16"
		},
		"OVN subnet too small": func(o *options.Cluster) { o.OVNInternalJoinSubnet = "100.70.0.0/31" },
		"infra ID":             func(o *options.Cluster) { o.InfraID = "A" },
		"base domain":          func(o *options.Cluster) { o.BaseDomain = "example.1" },
		"kas name":             func(o *options.Cluster) { o.KASDNSName = "a.b.c1" },
		"ingress without console": func(o *options.Cluster) {
			o.DisableClusterCapabilities = options.List{"Ingress"}
		},
		"capability both": func(o *options.Cluster) {
			o.EnableClusterCapabilities, o.DisableClusterCapabilities = options.List{"Insights"}, options.List{"Insights"}
		},
		"capability":            func(o *options.Cluster) { o.EnableClusterCapabilities = options.List{"Magic"} },
		"paused":                func(o *options.Cluster) { o.PausedUntil = "tomorrow" },
		"availability":          func(o *options.Cluster) { o.ControlPlaneAvailabilityPolicy = "Twice" },
		"olm placement":         func(o *options.Cluster) { o.OLMCatalogPlacement = "Guest" },
		"audit profile":         func(o *options.Cluster) { o.AuditProfile = "All" },
		"allowed CIDRs":         func(o *options.Cluster) { o.AllowedCIDRBlocks = options.List{"192.0.2.1"} },
		"storage driver":        func(o *options.Cluster) { o.StorageDriver = "Some" },
		"release image":         func(o *options.Cluster) { o.ReleaseImage = "-" },
		"arm64":                 func(o *options.Cluster) { o.Arch = "arm64" },
		"most below least":      func(o *options.Cluster) { o.Pool().MinReplicas, o.Pool().MaxReplicas = 3, 2 },
		"none with autoscaling": func(o *options.Cluster) { o.Pool().MinReplicas, o.Pool().MaxReplicas = 0, 2 },
		"51 taints":             func(o *options.Cluster) { o.Pool().Taints = slices.Repeat([]string{"a=b:NoSchedule"}, 51) },
		"21 networks": func(o *options.Cluster) {
			o.Pool().AdditionalNetwork = slices.Repeat([]string{"name:a/b"}, 21)
		},
		"11 devices": func(o *options.Cluster) { o.Pool().HostDeviceName = slices.Repeat([]string{"a/b"}, 11) },
		"11 access modes": func(o *options.Cluster) {
			o.Pool().RootVolumeAccessModes = slices.Repeat(options.List{"ReadWriteMany"}, 11)
		},
		"access mode":    func(o *options.Cluster) { o.Pool().RootVolumeAccessModes = options.List{"ReadOnlyMany"} },
		"volume mode":    func(o *options.Cluster) { o.Pool().RootVolumeVolumeMode = "block" },
		"cache strategy": func(o *options.Cluster) { o.Pool().RootVolumeCacheStrategy = "pvc" },
		"multiqueue":     func(o *options.Cluster) { o.Pool().NetworkMultiqueue = "disable" },
		"upgrade type":   func(o *options.Cluster) { o.Pool().NodeUpgradeType = "inplace" },
		"no cores":       func(o *options.Cluster) { o.Pool().Cores = 0 },
		"11 configs":     func(o *options.Cluster) { o.Pool().Config = slices.Repeat(options.Files{{Path: "a"}}, 11) },
	} {
		t.Run(name, func(t *testing.T) {
			o := optionstest.Named(change)
			if optionstest.Refusal(o) == nil {
				t.Error("Validate takes it")
			}
			var refused []string
			for _, obj := range objectstest.ObjectsToWrite(options.Unchecked(o)) {
				kind := obj.GetObjectKind().GroupVersionKind().Kind
				if kind != "HostedCluster" && kind != "NodePool" {
					continue
				}
				if err := sendDry(t, c, obj); err != nil {
					refused = append(refused, err.Error())
				}
			}
			if len(refused) == 0 {
				t.Error("the CRDs take it, so the rule is not theirs")
			}
		})
	}
}

// newerIsAnError creates a HostedCluster with a field that the CRD does not have, in earnest: nothing may be written.
func newerIsAnError(t *testing.T, c *kube.Client) {
	t.Helper()
	o := optionstest.Valid(t, optionstest.With(t, "--ovn-kubernetes-mtu 1400"))
	p := &Plan{Options: o, Inputs: objectstest.Inputs(), client: c}
	_, err := p.createStrictly(p.hostedCluster)(t.Context())
	const want = "HostedCluster clusters/kv-00: this cluster's HyperShift does not know " +
		"spec.operatorConfiguration.clusterNetworkOperator.ovnKubernetesConfig.mtu"
	if err == nil || err.Error() != want {
		t.Fatalf("got %v, want %s", err, want)
	}
	var unknown *UnknownFieldsError
	if !errors.As(err, &unknown) || !strings.HasPrefix(unknown.Hint().String(), "leave out --ovn-kubernetes-mtu") {
		t.Errorf("hint %q", unknown.Hint().String())
	}
	obj := objects.TypedHostedCluster(o, objectstest.Inputs())
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(obj), obj); !apierrors.IsNotFound(err) {
		t.Errorf("it has been written: %v", err)
	}
}
