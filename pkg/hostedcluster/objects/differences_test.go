package objects_test

import (
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects/objectstest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
)

func TestFixedFieldsOfHostedCluster(t *testing.T) {
	const differs = "exists already and differs in fields that cannot be changed: "
	for name, tc := range map[string]struct {
		ask  func(*options.Cluster)
		have func(*hyperv1.HostedCluster)
		want string
	}{
		"the same":                   {nil, nil, "ok: H: exists"},
		"what the operator fills in": {nil, operatorFilled, "ok: H: exists"},
		"with a base domain": {optionstest.Everything, nil, "ok: H: exists; left as it is: spec.sshKey.name is " +
			"not set, asked for kv-00-ssh-key"},
		"other base domain": {
			optionstest.Everything, func(hc *hyperv1.HostedCluster) {
				hc.Spec.DNS.BaseDomain, hc.Spec.SSHKey.Name = "other.org", "kv-00-ssh-key"
			},
			"broken: H: " + differs + "spec.dns.baseDomain is other.org, asked for example.com",
		},
		"several": {
			nil, func(hc *hyperv1.HostedCluster) {
				hc.Spec.ControllerAvailabilityPolicy = hyperv1.SingleReplica
				hc.Spec.Etcd.Managed.Storage.PersistentVolume.StorageClassName = ptr.To("slow")
				hc.Spec.Services[0].Type = hyperv1.NodePort
			},
			"broken: H: " + differs + "spec.controllerAvailabilityPolicy is SingleReplica, asked for HighlyAvailable; " +
				"spec.etcd.managed.storage.persistentVolume.storageClassName is slow, asked for not set; " +
				"spec.services is APIServer by NodePort, Ignition by Route, Konnectivity by Route, OAuthServer by Route, asked " +
				"for APIServer by LoadBalancer, Ignition by Route, Konnectivity by Route, OAuthServer by Route",
		},
		"other release": {
			func(o *options.Cluster) { o.ReleaseImage = "registry.example/other:4.19.1" }, func(*hyperv1.HostedCluster) {},
			"ok: H: exists; left as it is: spec.release.image is registry.example/ocp-release:4.20.3-x86_64, asked for " +
				"registry.example/other:4.19.1",
		},
		"order of services": {
			nil, func(hc *hyperv1.HostedCluster) {
				s := hc.Spec.Services
				s[0], s[3] = s[3], s[0]
			}, "ok: H: exists",
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := optionstest.Named(tc.ask)
			have := objects.TypedHostedCluster(optionstest.Valid(t, o), objectstest.Inputs())
			have.Spec.SSHKey.Name = ""
			if o.ReleaseImage == "registry.example/ocp-release:4.20.3-multi" {
				o.ReleaseImage = ""
			}
			if tc.have != nil {
				tc.have(have)
			}
			valid := optionstest.Valid(t, o)
			hostedtest.Expect(
				t,
				objects.Existing(
					"H",
					objects.FixedInHostedCluster(have, objects.TypedHostedCluster(valid, objectstest.Inputs())),
					objects.ChangeableInHostedCluster(have, valid),
				),
				tc.want,
			)
		})
	}
}

// operatorFilled is what the operator and the CRD's defaults were recorded to add.
func operatorFilled(hc *hyperv1.HostedCluster) {
	hc.Spec.DNS.BaseDomain = "apps.mgmt.example.com"
	hc.Spec.ClusterID = "5d3c5a34-0000-0000-0000-000000000000"
	hc.Spec.IssuerURL = "https://kubernetes.default.svc"
	hc.Spec.Platform.Kubevirt.GenerateID = "abcdefghij"
	hc.Spec.InfrastructureAvailabilityPolicy = hyperv1.SingleReplica
}

func TestNodePoolDifferences(t *testing.T) {
	o := optionstest.Valid(t, optionstest.Named(nil))
	want := objects.TypedNodePool(o, o.NodePools[0], objectstest.Inputs())
	have := objects.TypedNodePool(o, o.NodePools[0], objectstest.Inputs())
	have.Spec.Platform.Kubevirt.Compute.Memory = ptr.To(resource.MustParse("8192Mi"))
	hostedtest.Expect(
		t,
		objects.Existing("N", objects.FixedInNodePool(have, want), objects.ChangeableInNodePool(have, want)),
		"ok: N: exists",
	)

	have.Spec.Replicas = ptr.To(int32(5))
	have.Spec.Platform.Kubevirt.Compute.Memory = ptr.To(resource.MustParse("16Gi"))
	hostedtest.Expect(
		t,
		objects.Existing("N", objects.FixedInNodePool(have, want), objects.ChangeableInNodePool(have, want)),
		"ok: N: exists; left as it is: spec.replicas is 5, asked for 2; spec.platform.kubevirt.compute.memory is 16Gi, "+
			"asked for 8Gi",
	)

	have.Spec.ClusterName, have.Spec.Arch = "other", "s390x"
	hostedtest.Expect(
		t,
		objects.Existing("N", objects.FixedInNodePool(have, want), nil),
		"broken: N: exists already and differs in fields that cannot be changed: spec.clusterName is other, asked for "+
			"kv-00; spec.arch is s390x, asked for amd64",
	)
}
