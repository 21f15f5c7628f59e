package health

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// resizing has the conditions of a bound claim whose volume is being expanded, the most serious first.
var resizing = []corev1.PersistentVolumeClaimConditionType{
	corev1.PersistentVolumeClaimControllerResizeError, corev1.PersistentVolumeClaimNodeResizeError,
	corev1.PersistentVolumeClaimVolumeModifyVolumeError, corev1.PersistentVolumeClaimFileSystemResizePending,
	corev1.PersistentVolumeClaimResizing,
}

// judgeClaim judges a PersistentVolumeClaim. Only its events say why a volume is not provisioned.
func judgeClaim(u *unstructured.Unstructured, v Verdict, _ *facts) Verdict {
	v.Since = u.GetCreationTimestamp().Time
	v.Hint = hint.New("oc describe pvc %s -n %s", u.GetName(), u.GetNamespace())
	class, volume := kube.Text(u, "spec", "storageClassName"), kube.Text(u, "spec", "volumeName")
	phase := kube.Text(u, "status", "phase")
	switch corev1.PersistentVolumeClaimPhase(phase) {
	case corev1.ClaimBound:
		return judgeResize(u, v)
	case corev1.ClaimLost:
		return v.with(step.StateBroken, phase, "its PersistentVolume %s is gone, and the data with it", volume).inTrouble()
	case corev1.ClaimPending:
	default:
		return v.with(step.StatePending, "NotBound", "its controller has not processed it yet")
	}
	_, given, _ := unstructured.NestedString(u.Object, "spec", "storageClassName")
	switch {
	case volume != "":
		return v.with(step.StatePending, phase, "it is Pending: it waits for PersistentVolume %s", volume)
	case class != "":
		return v.with(step.StatePending, phase, "it is Pending: it has no volume of StorageClass %s yet", class)
	case given:
		return v.with(step.StatePending, phase, "it is Pending with the empty StorageClass: it waits for a "+
			"PersistentVolume that somebody makes for it").inTrouble()
	}
	v.Hint = hint.Run("check").Flag("only", "storage").Text()
	return v.with(step.StatePending, "NoStorageClass", "it is Pending without a StorageClass: there is no default one").
		inTrouble()
}

// judgeResize warns of a bound claim whose volume does not have the requested size yet.
func judgeResize(u *unstructured.Unstructured, v Verdict) Verdict {
	conditions := kube.Conditions(u)
	for _, t := range resizing {
		if c := kube.FindCondition(conditions, string(t)); c.True() {
			return v.because(step.StateWarning, c)
		}
	}
	return v
}

func judgeVolume(u *unstructured.Unstructured, v Verdict, _ *facts) Verdict {
	phase, message := kube.Text(u, "status", "phase"), kube.Text(u, "status", "message")
	v.Since, _ = time.Parse(time.RFC3339, kube.Text(u, "status", "lastPhaseTransitionTime"))
	v.Hint = hint.New("oc describe pv %s", u.GetName())
	claim := kube.Text(u, "spec", "claimRef", "namespace") + "/" + kube.Text(u, "spec", "claimRef", "name")
	switch corev1.PersistentVolumePhase(phase) {
	case corev1.VolumeBound, corev1.VolumeAvailable:
		return v
	case corev1.VolumeReleased:
		text := "its claim " + claim + " is gone"
		if kube.Text(u, "spec", "persistentVolumeReclaimPolicy") == string(corev1.PersistentVolumeReclaimRetain) {
			text += ": its data is kept, and no other claim gets it (reclaim policy Retain)"
		}
		return v.with(step.StateWarning, phase, "%s", text)
	case corev1.VolumeFailed:
		return v.with(step.StateBroken, phase, "%s", strings.TrimSuffix("it could not be deleted or cleaned after its claim "+
			claim+" was gone: "+message, ": ")).inTrouble()
	case corev1.VolumePending:
	}
	return v.with(step.StatePending, "NotAvailable", "it is not available yet")
}
