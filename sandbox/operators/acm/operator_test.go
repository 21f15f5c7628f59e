package acm

import (
	"reflect"
	"testing"

	"github.com/hcctl/hcctl/sandbox/operators/mce"
)

func TestTheHubSetsOneComponent(t *testing.T) {
	local, hive := mce.Component{Name: mce.ComponentLocalCluster, Enabled: true}, mce.Component{Name: "hive",
		Enabled: true}
	list := withEntry([]mce.Component{hive, local}, mce.Component{Name: mce.ComponentLocalCluster})
	if !reflect.DeepEqual(list, []mce.Component{hive, {Name: mce.ComponentLocalCluster}}) {
		t.Errorf("components %+v", list)
	}
	if list = withEntry(nil, local); !reflect.DeepEqual(list, []mce.Component{local}) {
		t.Errorf("components %+v", list)
	}
}

func TestPhaseOfAHubThatIsNotComplete(t *testing.T) {
	for current, want := range map[string]string{"": "Installing", "2.15.1": "Pending", "2.15.0": "Updating"} {
		if got := phaseOf(current, "2.15.1"); got != want {
			t.Errorf("%q: got %s, want %s", current, got, want)
		}
	}
}

func TestComponentsThatTheHubPassesOn(t *testing.T) {
	for name, want := range map[string]bool{"hypershift": true, "hypershift-local-hosting": true, "console-mce": true,
		"cluster-lifecycle-mce": true, "cluster-lifecycle": false, "search": false, "local-cluster": false} {
		if mce.FromHub(name) != want {
			t.Errorf("%s: got %t", name, !want)
		}
	}
}
