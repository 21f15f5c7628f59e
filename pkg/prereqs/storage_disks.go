package prereqs

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
)

// leastDisk is the least size of a disk the Local Storage Operator takes (its default minSize), in bytes.
const leastDisk = 1 << 30

// emptyDisks reads what LocalVolumeDiscovery found: for every node that has reported, how many of its disks are empty and
// whole, which is what Data Foundation takes. Nodes without any are in it with 0.
func emptyDisks(ctx context.Context, c *kube.Client) (map[string]int, error) {
	list := kube.LocalVolumeDiscoveryResult.NewList()
	if err := c.List(ctx, list); err != nil {
		return nil, err
	}
	return countEmptyDisks(list.Items), nil
}

func countEmptyDisks(results []unstructured.Unstructured) map[string]int {
	found := map[string]int{}
	for i := range results {
		u := &results[i]
		if _, reported := u.Object["status"]; !reported {
			continue
		}
		node := kube.Text(u, "spec", "nodeName")
		found[node] += 0
		for _, device := range kube.Maps(u, "status", "discoveredDevices") {
			state, _, _ := unstructured.NestedString(device, "status", "state")
			size, _, _ := unstructured.NestedInt64(device, "size")
			if state == "Available" && text(device, "type") == "disk" && size >= leastDisk {
				found[node]++
			}
		}
	}
	return found
}
