package deletion

import (
	"slices"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/kube"
)

// Where create recorded the kinds of what it made, delete searches no other.
func TestOnlyRecordedKindsAreSearched(t *testing.T) {
	recorded := func(kinds string, edits ...edit) hostedtest.Object {
		o := made("clusters", "kv-00-pull-secret", edits...)
		o["metadata"].(hostedtest.Object)["annotations"].(hostedtest.Object)[hostedcluster.KindsAnnotation] = kinds
		return o
	}
	managed := hostedtest.Object{kube.ManagedByLabel: kube.FieldOwner}
	const service = "Service metallb-system/a"
	for name, tc := range map[string]struct {
		secret hostedtest.Object
		// found is whether the Service is found, all whether every kind is searched.
		found, all bool
	}{
		"no record":            {made("clusters", "kv-00-pull-secret"), true, true},
		"the usual kinds":      {recorded(""), false, false},
		"one kind more":        {recorded("Service.v1."), true, false},
		"a version of old":     {recorded("Service.v1beta1."), true, true},
		"not by hcctl":         {recorded("", withMeta("managedFields", nil)), true, true},
		"of another":           {recorded("", withMeta("labels", managed)), true, true},
		"what cannot be read":  {recorded("Service"), true, true},
		"another Secret of it": {withName(recorded(""), "kv-00-ssh-key"), true, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := world(t)
			w.Set("Service", made("metallb-system", "a"))
			w.Set("Secret", tc.secret)
			w.Take()
			d := prepared(t, w)
			if found := slices.Contains(d.Outside, service); found != tc.found {
				t.Errorf("found %v: %q", found, d.Outside)
			}
			all := false
			for _, r := range w.Take() {
				all = all || strings.Contains(r.String(), "nodepools") && r.Namespace == ""
			}
			if all != tc.all {
				t.Errorf("all kinds are searched: %v", all)
			}
		})
	}
}

func withName(o hostedtest.Object, name string) hostedtest.Object {
	o["metadata"].(hostedtest.Object)["name"] = name
	return o
}
