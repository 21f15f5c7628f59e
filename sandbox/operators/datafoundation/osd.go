package datafoundation

import (
	"context"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

const deviceSetLabel = "ceph.rook.io/DeviceSet"

// deviceSet is one entry of spec.storageDeviceSets.
type deviceSet struct {
	Name            string `json:"name"`
	Count           int    `json:"count"`
	Replica         int    `json:"replica"`
	DataPVCTemplate struct {
		Spec corev1.PersistentVolumeClaimSpec `json:"spec"`
	} `json:"dataPVCTemplate"`
}

// disks creates a claim and an OSD for every requested device, and returns how many OSDs are up. The cluster's own
// volume binder and scheduler bind the claims: without a matching volume the OSD stays Pending.
func (f *dataFoundation) disks(ctx context.Context, sc *unstructured.Unstructured) (up, total int, err error) {
	var sets []deviceSet
	if _, err := framework.Read(sc, &sets, "spec", "storageDeviceSets"); err != nil {
		return 0, 0, err
	}
	for _, set := range sets {
		replica := set.Replica
		if replica == 0 {
			replica = 3
		}
		for i := range set.Count * replica {
			ready, err := f.osd(ctx, sc, set, i, total)
			if err != nil {
				return up, total, err
			}
			total++
			if ready {
				up++
			}
		}
	}
	return up, total, nil
}

func (f *dataFoundation) osd(ctx context.Context, sc *unstructured.Unstructured, set deviceSet, index,
	id int) (bool, error) {
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: sc.GetNamespace(),
			// Rook's names end with five random characters.
			Name:   fmt.Sprintf("%s-%d-data-0", set.Name, index),
			Labels: map[string]string{deviceSetLabel: set.Name, "ceph.rook.io/setIndex": strconv.Itoa(index)},
		},
		Spec: *set.DataPVCTemplate.Spec.DeepCopy(),
	}
	if err := framework.Create(ctx, f.Client, claim); err != nil {
		return false, err
	}
	labels := map[string]string{"app": "rook-ceph-osd", "ceph-osd-id": strconv.Itoa(id)}
	return f.EnsureDeployment(ctx, framework.Workload{
		NamespacedName: types.NamespacedName{Namespace: sc.GetNamespace(), Name: fmt.Sprintf("rook-ceph-osd-%d", id)},
		Labels:         labels,
		Pod: func(p *corev1.PodSpec) {
			volume := set.Name + "-data"
			p.Volumes = []corev1.Volume{{Name: volume, VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim.Name},
			}}}
			if m := claim.Spec.VolumeMode; m != nil && *m == corev1.PersistentVolumeBlock {
				p.Containers[0].VolumeDevices = []corev1.VolumeDevice{{Name: volume, DevicePath: "/mnt/" + volume}}
			} else {
				p.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: volume, MountPath: "/mnt/" + volume}}
			}
			p.Tolerations = []corev1.Toleration{{
				Key: "node.ocs.openshift.io/storage", Operator: corev1.TolerationOpEqual, Value: "true",
				Effect: corev1.TaintEffectNoSchedule,
			}}
			p.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
					MatchExpressions: []corev1.NodeSelectorRequirement{{Key: storageNodeLabel, Operator: corev1.NodeSelectorOpExists}},
				}}},
			}}
			p.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
				MaxSkew: 1, TopologyKey: corev1.LabelHostname, WhenUnsatisfiable: corev1.ScheduleAnyway,
				LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "rook-ceph-osd"}},
			}}
		},
	})
}
