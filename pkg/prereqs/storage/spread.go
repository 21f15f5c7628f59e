package storage

import (
	corev1 "k8s.io/api/core/v1"
)

// zoneReplicas is how many copies a device set has that is spread over zones: its operator's default.
const zoneReplicas = 3

// spread is how the disks of a StorageCluster are spread over failure domains.
type spread struct {
	// flexible means over nodes. It cannot be changed once the StorageCluster is there.
	flexible bool
	// count and replica are those of the device set.
	count, replica int64
}

// nodeZones are the zones of the storage nodes, by the label topology.kubernetes.io/zone.
type nodeZones struct {
	// hosts are zones by hostname label, "" for a node without a zone.
	hosts map[string]string
	// storage are the zones of the nodes with the storage label.
	storage []string
}

func zonesOf(nodes []corev1.Node) nodeZones {
	z := nodeZones{hosts: map[string]string{}}
	for i := range nodes {
		zone := nodes[i].Labels[corev1.LabelTopologyZone]
		z.hosts[nodes[i].Labels[corev1.LabelHostname]] = zone
		if _, ok := nodes[i].Labels[storageLabel]; ok && zone != "" {
			z.storage = append(z.storage, zone)
		}
	}
	return z
}

// spread decides as the console of OpenShift Data Foundation does: over zones where there are three, else over nodes.
// Its operator (ocs-operator 4.12 to 4.21) takes the same number of disks in each zone, and any zone of storage nodes,
// so that every zone must have disks.
func (z nodeZones) spread(disks []localDisk) spread {
	perZone := map[string]int64{}
	for _, zone := range z.storage {
		perZone[zone] = 0
	}
	for _, d := range disks {
		if zone := z.hosts[d.host]; zone != "" {
			perZone[zone]++
		}
	}
	least := int64(len(disks))
	for _, n := range perZone {
		least = min(least, n)
	}
	if len(perZone) < zoneReplicas || least == 0 {
		return spread{flexible: true, count: int64(len(disks)), replica: 1}
	}
	return spread{count: least, replica: zoneReplicas}
}
