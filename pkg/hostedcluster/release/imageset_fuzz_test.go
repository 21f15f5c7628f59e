package release

import (
	"testing"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

func FuzzVersion(f *testing.F) {
	f.Add("quay.io/ocp/release:4.20.3-x86_64", "4.21.0-rc.1", "img4.20.3-x86-64-appsub")
	f.Add("4.20.0-0.nightly-2025-01-01-000000", "4.20.0-ec.10", "4.20.0-ec.9")
	f.Add("99999999999999999999.1.1", "x@sha256:1.2.3", "4.20.3-multi")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		var all []hostedcluster.Version
		for _, s := range []string{a, b, c} {
			v, ok := hostedcluster.ParseVersion(s)
			if !ok {
				continue
			}
			if second, ok := hostedcluster.ParseVersion(v.String()); !ok || second != v {
				t.Fatalf("%q printed as %s reads as %+v", s, v, second)
			}
			if hostedcluster.ExactVersion(s) != (v.String() == s) || !hostedcluster.ExactVersion(v.String()) {
				t.Fatalf("%q is exact: %v", s, hostedcluster.ExactVersion(s))
			}
			if tagged, ok := ImageVersion("registry.example:5000/1.2.3/ocp:" + v.String()); !ok || tagged != v {
				t.Fatalf("the tag %s reads as %+v", v, tagged)
			}
			all = append(all, v)
		}
		for _, x := range all {
			for _, y := range all {
				if x.Before(y) && y.Before(x) || (x != y) != (x.Before(y) || y.Before(x)) || x.Compare(y) != -y.Compare(x) {
					t.Fatalf("%s and %s have no order", x, y)
				}
				for _, z := range all {
					if x.Before(y) && y.Before(z) && !x.Before(z) || x.Compare(y) < 0 && y.Compare(z) < 0 && x.Compare(z) >= 0 {
						t.Fatalf("%s, %s, %s are in no order", x, y, z)
					}
				}
			}
		}
	})
}
