package maintenance

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube"
)

// bound returns the volume that keeps a pod on the node: a PersistentVolume that no other node reaches. unknown is why
// that cannot be determined.
func (w *snapshot) bound(pod *corev1.Pod) (volume, unknown string) {
	for i := range pod.Spec.Volumes {
		name := claimOf(pod, &pod.Spec.Volumes[i])
		if name == "" {
			continue
		}
		switch {
		case w.claims.Err != nil:
			return "", "PersistentVolumeClaims are not read: " + kube.Explain(w.claims.Err)
		case w.volumes.Err != nil:
			return "", "PersistentVolumes are not read: " + kube.Explain(w.volumes.Err)
		}
		claim := w.claim(pod.Namespace, name)
		if claim == nil {
			return "", fmt.Sprintf("its PersistentVolumeClaim %s does not exist", name)
		}
		pv := w.volume(claim.Spec.VolumeName)
		if pv == nil {
			return "", fmt.Sprintf("its PersistentVolumeClaim %s has no PersistentVolume (phase %s)", name, claim.Status.Phase)
		}
		if !w.reachable(pv) {
			return fmt.Sprintf("PersistentVolume %s, of claim %s", pv.Name, name), ""
		}
	}
	return "", ""
}

// claimOf returns the name of the claim of a pod's volume, or "".
func claimOf(pod *corev1.Pod, v *corev1.Volume) string {
	switch {
	case v.PersistentVolumeClaim != nil:
		return v.PersistentVolumeClaim.ClaimName
	case v.Ephemeral != nil:
		return pod.Name + "-" + v.Name
	}
	return ""
}

func (w *snapshot) claim(namespace, name string) *corev1.PersistentVolumeClaim {
	for i := range w.claims.Items {
		if c := &w.claims.Items[i]; c.Namespace == namespace && c.Name == name {
			return c
		}
	}
	return nil
}

func (w *snapshot) volume(name string) *corev1.PersistentVolume {
	for i := range w.volumes.Items {
		if w.volumes.Items[i].Name == name {
			return &w.volumes.Items[i]
		}
	}
	return nil
}

// reachable reports whether another node reaches the volume.
func (w *snapshot) reachable(pv *corev1.PersistentVolume) bool {
	if pv.Spec.NodeAffinity == nil {
		return true
	}
	for i := range w.others {
		if kube.SelectsNode(pv.Spec.NodeAffinity.Required, &w.others[i]) {
			return true
		}
	}
	return false
}
