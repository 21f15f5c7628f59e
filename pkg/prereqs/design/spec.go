package design

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
)

// ignore is the reconcileStrategy with which ocs-operator (4.12 to 4.21) leaves a part out.
const ignore = "ignore"

// SetIn writes the settings into the spec of a new StorageCluster. Defaults of the operator are not written.
func (o Options) SetIn(spec map[string]any) {
	if o.Profile != "" {
		spec["resourceProfile"] = o.Profile
	}
	if o.Encryption {
		spec["encryption"] = map[string]any{"clusterWide": true}
	}
	ignored := map[string]any{"reconcileStrategy": ignore}
	if !o.rados() {
		managed, _ := spec["managedResources"].(map[string]any)
		if managed == nil {
			managed = map[string]any{}
			spec["managedResources"] = managed
		}
		managed["cephObjectStores"], managed["cephObjectStoreUsers"] = ignored, ignored
	}
	if !o.multicloud() {
		spec["multiCloudGateway"] = ignored
	}
}

// Differences returns the settings that an existing StorageCluster on the cluster's own disks does not have, each with
// what a user can do. The settings apply to a new one only.
func (o Options) Differences(sc *unstructured.Unstructured) []string {
	sets := kube.Maps(sc, "spec", "storageDeviceSets")
	if len(sets) == 0 {
		return nil
	}
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	patch := func(spec string) string {
		return fmt.Sprintf("oc patch storagecluster %s -n %s --type=merge -p '{\"spec\":%s}'", sc.GetName(),
			sc.GetNamespace(), spec)
	}
	profile := strings.ToLower(kube.Text(sc, "spec", "resourceProfile"))
	if profile == "" {
		profile = Balanced
	}
	if o.Profile != "" && o.Profile != profile {
		add("the resource profile is %s, not %s: %s", profile, o.Profile, patch(`{"resourceProfile":"`+o.Profile+`"}`))
	}
	if o.Encryption && !encrypted(sc, sets) {
		add("the disks are not encrypted, and only those of a new StorageCluster can be")
	}
	out = append(out, o.gatewayDifferences(sc, patch)...)
	switch flexible := kube.Flag(sc, "spec", "flexibleScaling"); {
	case o.Spread == OverZones && flexible:
		add("it is spread over nodes, not zones, which only a new StorageCluster can change")
	case o.Spread == OverNodes && !flexible:
		add("it is not spread over nodes, which only a new StorageCluster can change")
	}
	count, _, _ := unstructured.NestedInt64(sets[0], "count")
	switch wanted := int64(o.DeviceSets); {
	case wanted > count:
		add("the count of its device set is %d, not %d: %s raises that of a StorageCluster that hcctl "+
			"created", count, wanted, hint.Run("bootstrap").Flag("grow-storage"))
	case wanted > 0 && wanted < count:
		add("the count of its device set is %d, not %d, and it cannot be lowered", count, wanted)
	}
	field := []string{"spec", "managedResources", "cephBlockPools", "defaultVirtualizationStorageClass"}
	if o.VirtualizationClass == LeaveClass && kube.Flag(sc, field...) {
		add("it marks its class for virtual machines as their default: %s",
			patch(`{"managedResources":{"cephBlockPools":{"defaultVirtualizationStorageClass":false}}}`))
	}
	return out
}

// encrypted reports whether all disks are encrypted. From 4.18 on a device set can override the setting.
func encrypted(sc *unstructured.Unstructured, sets []map[string]any) bool {
	all := kube.Flag(sc, "spec", "encryption", "clusterWide") || kube.Flag(sc, "spec", "encryption", "enable")
	for _, set := range sets {
		own, explicit := set["encrypted"].(bool)
		if explicit && !own || !explicit && !all {
			return false
		}
	}
	return true
}

// gatewayDifferences compares the object gateways, if the user chose any.
func (o Options) gatewayDifferences(sc *unstructured.Unstructured, patch func(string) string) []string {
	if o.Gateways == "" {
		return nil
	}
	var out []string
	for _, g := range []struct {
		title  string
		wanted bool
		field  []string
	}{
		{"RADOS gateway", o.rados(), []string{"managedResources", "cephObjectStores"}},
		{"Multicloud Object Gateway", o.multicloud(), []string{"multiCloudGateway"}},
	} {
		strategy := append(append([]string{"spec"}, g.field...), "reconcileStrategy")
		switch exists := kube.Text(sc, strategy...) != ignore; {
		case exists && !g.wanted:
			out = append(out, fmt.Sprintf("it has the %s: what it holds has to be moved and deleted by hand", g.title))
		case !exists && g.wanted:
			value := `{"reconcileStrategy":"manage"}`
			for i := len(g.field) - 1; i >= 0; i-- {
				value = `{"` + g.field[i] + `":` + value + `}`
			}
			out = append(out, fmt.Sprintf("it has no %s: %s", g.title, patch(value)))
		}
	}
	return out
}
