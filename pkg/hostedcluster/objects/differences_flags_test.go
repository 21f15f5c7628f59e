package objects_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects/objectstest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
	"github.com/hcctl/hcctl/pkg/step"
)

// immutable are the flags whose HostedCluster fields the CRD lets nobody change.
var immutable = []string{
	"infra-id",
	"fips",
	"base-domain",
	"external-dns-domain",
	"service-publishing-strategy",
	"api-server-address",
	"publish",
	"api-hostname",
	"network-type",
	"cluster-cidr",
	"service-cidr",
	"machine-cidr",
	"disable-multi-network",
	"allocate-node-cidrs",
	"ovn-kubernetes-mtu",
	"control-plane-availability-policy",
	"etcd-storage-class",
	"etcd-storage-size",
	"olm-catalog-placement",
	"enable-cluster-capabilities",
	"disable-cluster-capabilities",
	"infra-kubeconfig-file",
	"infra-namespace",
	"storage-driver",
	"infra-storage-class-mapping",
	"infra-volumesnapshot-class-mapping",
}

// TestFlagsForAnExistingCluster asks for each flag's example where a cluster with defaults exists: what cannot be
// changed ends the create, the rest is told.
func TestFlagsForAnExistingCluster(t *testing.T) {
	for _, e := range optionstest.Examples() {
		if e.Flag == "" || e.Beside || e.PoolOnly ||
			!strings.Contains(e.Writes, "HostedCluster ") && !strings.Contains(e.Writes, "NodePool ") {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			all, _ := e.Options(t)
			o := optionstest.Valid(t, all)
			have := objects.TypedHostedCluster(optionstest.Valid(t, optionstest.Named(nil)), objectstest.Inputs())
			in := objectstest.Inputs()
			in.InfraID = cmp.Or(o.InfraID, in.InfraID)
			whole, err := runtime.DefaultUnstructuredConverter.ToUnstructured(have)
			if err != nil {
				t.Fatal(err)
			}
			fixed := objects.FixedInHostedCluster(have, objects.TypedHostedCluster(o, in))
			fixed = append(fixed, objects.FixedInNewerFields(&unstructured.Unstructured{Object: whole}, o)...)
			f := objects.Existing("H", fixed, objects.ChangeableInHostedCluster(have, o))
			usual := optionstest.Valid(t, optionstest.Named(nil))
			pool := objects.NodePool(usual, usual.NodePools[0], objectstest.Inputs())
			wanted := objects.NodePool(o, o.NodePools[0], objectstest.Inputs())
			p := objects.Existing("N", objects.FixedInNodePool(pool, wanted), objects.ChangeableInNodePool(pool, wanted))
			switch {
			case slices.Contains(immutable, e.Flag):
				if f.State != step.StateBroken {
					t.Errorf("got %v", f)
				}
			case e.Flag == "arch" || e.Flag == "node-upgrade-type":
				if p.State != step.StateBroken {
					t.Errorf("got %v", p)
				}
			case f.State != step.StateOK || p.State != step.StateOK:
				t.Errorf("got %v, %v", f, p)
			case !strings.Contains(f.Message+p.Message, "left as it is"):
				t.Errorf("the difference is not told: %v, %v", f, p)
			}
			same := objects.Existing(
				"H",
				objects.FixedInHostedCluster(objects.TypedHostedCluster(o, in), objects.TypedHostedCluster(o, in)),
				objects.ChangeableInHostedCluster(withRelease(objects.TypedHostedCluster(o, in), o), o),
			)
			if same.Message != "exists" {
				t.Errorf("the same options again: %v", same)
			}
		})
	}
}

func withRelease(hc *hyperv1.HostedCluster, o options.Validated) *hyperv1.HostedCluster {
	hc.Spec.Release.Image = cmp.Or(o.ReleaseImage, hc.Spec.Release.Image)
	return hc
}
