package operators

import (
	"reflect"
	"testing"
)

func TestTheHubSetsOneComponent(t *testing.T) {
	local, hive := component{Name: componentLocalCluster, Enabled: true}, component{Name: "hive", Enabled: true}
	list := withEntry([]component{hive, local}, component{Name: componentLocalCluster})
	if !reflect.DeepEqual(list, []component{hive, {Name: componentLocalCluster}}) {
		t.Errorf("components %+v", list)
	}
	if list = withEntry(nil, local); !reflect.DeepEqual(list, []component{local}) {
		t.Errorf("components %+v", list)
	}
}
