package objects_test

import (
	"cmp"
	"strings"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects/objectstest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
	"github.com/hcctl/hcctl/pkg/step"
)

// TestFlagsForAnExistingCluster asks for each flag's example where a cluster with defaults exists: what cannot be
// changed ends the create, the rest is told.
func TestFlagsForAnExistingCluster(t *testing.T) {
	for _, e := range optionstest.Examples() {
		if e.Flag == "" || e.Beside || e.PoolOnly || strings.Contains(e.Writes, "hcctl.dev/patches") || // those are compared by PatchOf
			!strings.Contains(e.Writes, "HostedCluster ") && !strings.Contains(e.Writes, "NodePool ") {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			all, _ := e.Options(t)
			o := optionstest.Valid(t, all)
			have := objects.TypedHostedCluster(optionstest.Valid(t, optionstest.Named(func(o *options.Cluster) {
				if e.Flag == "apps-domain" {
					o.BaseDomain = all.BaseDomain // that it needs cannot be changed
				}
			})), objectstest.Inputs())
			in := objectstest.Inputs()
			in.InfraID = cmp.Or(o.InfraID, in.InfraID)
			fixed := objects.FixedInHostedCluster(have, objects.HostedCluster(o, in))
			f := objects.Existing("H", fixed, objects.ChangeableInHostedCluster(have, o))
			usual := optionstest.Valid(t, optionstest.Named(nil))
			pool := objects.TypedNodePool(usual, usual.NodePools[0], objectstest.Inputs())
			wanted := objects.TypedNodePool(o, o.NodePools[0], objectstest.Inputs())
			p := objects.Existing("N", objects.FixedInNodePool(pool, wanted), objects.ChangeableInNodePool(pool, wanted))
			switch {
			case e.Effect == option.Fixed && e.Path("HostedCluster") != nil:
				if f.State != step.StateBroken {
					t.Errorf("got %v", f)
				}
			case e.Flag == "arch" || e.Effect == option.Fixed:
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
