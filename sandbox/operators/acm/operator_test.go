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
