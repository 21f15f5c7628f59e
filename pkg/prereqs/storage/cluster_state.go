package storage

import (
	"context"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// errorGrace is how long a StorageCluster may report an error before the error counts as final. During a normal
// installation its operator also reports errors, for a few minutes, and retries: with phase Error, or Progressing if it
// skipped StorageClasses (4.12 to 5.1).
const errorGrace = 10 * time.Minute

// storageClusters lists the StorageClusters. The list is empty if the kind is not registered.
func storageClusters(ctx context.Context, r kube.Reader) ([]unstructured.Unstructured, error) {
	list := kube.StorageCluster.NewList()
	if err := r.List(ctx, list); err != nil && !kube.IsKindMissing(err) {
		return nil, err
	}
	return list.Items, nil
}

// activeStorageCluster returns the StorageCluster that the operators work on: all others have phase Ignored. The list
// must not be empty.
func activeStorageCluster(clusters []unstructured.Unstructured) *unstructured.Unstructured {
	for i := range clusters {
		if kube.Text(&clusters[i], "status", "phase") != "Ignored" {
			return &clusters[i]
		}
	}
	return &clusters[0]
}

func judgeStorageClusters(clusters []unstructured.Unstructured, now time.Time) step.Finding {
	if len(clusters) == 0 {
		return step.Missing("there is no StorageCluster").On("StorageCluster %s", storageClusterName)
	}
	sc := activeStorageCluster(clusters)
	object := "StorageCluster " + kube.Name(sc)
	if f := prereq.Deleting(kube.StorageCluster.Kind, sc); f != nil {
		return *f
	}
	f := judgeStorageConditions(sc)
	switch phase := kube.Text(sc, "status", "phase"); {
	case phase == "Ready" && f == nil:
		return step.OK("Ready").On("%s", object)
	case phase == "Ready":
		return *f
	case phase == "Ignored":
		return step.Broken("its operator ignores it: another StorageCluster was there first").On("%s", object).
			WithHint("oc get storagecluster -A")
	case phase == "":
		return step.Pending("its operator has not processed it yet").On("%s", object)
	case phase == "Error", reconcileFailed(sc):
		return judgeStorageError(sc, f, now)
	case reconcileComplete(sc).Doubt == kube.Left:
		return step.Pending("%s: its operator waits; the error in its conditions is an old one: %s", phase,
			reconcileComplete(sc).Describe()).On("%s", object)
	case f != nil:
		f.Message = phase + ": " + f.Message
		return *f
	default:
		return step.Pending("phase %s", phase).On("%s", object)
	}
}

func judgeStorageConditions(sc *unstructured.Unstructured) *step.Finding {
	return prereq.JudgeObject(sc, health.Conditions([]string{"ReconcileComplete", "Available"},
		[]string{"Degraded", "Progressing"}))
}

// judgeStorageError separates temporary errors from final ones. An error is final if it needs a user's action, or if it
// has lasted for errorGrace.
func judgeStorageError(sc *unstructured.Unstructured, degraded *step.Finding, now time.Time) step.Finding {
	object := "StorageCluster " + kube.Name(sc)
	phase := kube.Text(sc, "status", "phase")
	message := "its operator reports no further detail"
	switch {
	case reconcileFailed(sc):
		message = reconcileComplete(sc).Describe()
	case degraded != nil:
		message = degraded.Message
	}
	look := hint.New("oc describe storagecluster %s -n %s", sc.GetName(), sc.GetNamespace())
	since := errorSince(sc)
	unsettled := kube.Unsettled(sc, since, now)
	if needsUser(sc) && unsettled == 0 {
		return step.Broken("%s: %s", phase, message).On("%s", object).WithHint("%s", look)
	}
	if !since.IsZero() && now.Sub(since) >= errorGrace && unsettled == 0 {
		return step.Broken("%s for %s: %s", phase, now.Sub(since).Round(time.Minute), message).On("%s", object).
			WithHint("%s", look)
	}
	return step.Pending("%s: %s", phase, message).On("%s", object).WithHint("%s", look).WithTrouble().
		RecheckAfter(unsettled)
}

func reconcileComplete(sc *unstructured.Unstructured) kube.Condition {
	return kube.FindCondition(kube.Conditions(sc), "ReconcileComplete")
}

// reconcileFailed reports whether the operator's last reconcile failed.
func reconcileFailed(sc *unstructured.Unstructured) bool {
	c := reconcileComplete(sc)
	return c.False() && c.Reason == "ReconcileFailed"
}

// silent reports whether the conditions do not name what the operator waits for: they are the initial ones, or an old
// error.
func silent(sc *unstructured.Unstructured) bool {
	c := reconcileComplete(sc)
	return c.Reason == "Init" || c.Doubt == kube.Left
}

// explained adds the problem of a Data Foundation workload to the finding about a StorageCluster that is not ready. A
// workload that is only starting is named if the conditions are silent.
func (s storageCluster) explained(ctx context.Context, r kube.Reader, sc *unstructured.Unstructured,
	f step.Finding) step.Finding {
	if strings.Contains(f.Message, noCephOperator) {
		cause := olm.Unhealthy(ctx, r, sc.GetNamespace(), cephOperators...)
		if cause == nil {
			cause = olm.Unresolved(ctx, r, sc.GetNamespace())
		}
		return prereq.Explained(f, cause)
	}
	if f.State != step.StatePending || sc.GetDeletionTimestamp() != nil {
		return f
	}
	cause := prereq.JudgeWorkloads(ctx, r, sc.GetNamespace())
	if cause == nil || cause.State == step.StatePending && !cause.Trouble && !silent(sc) {
		return f
	}
	return prereq.Explained(f, cause)
}

// noCephOperator is the message of ocs-operator while the ClusterServiceVersion of rook-ceph-operator has not
// succeeded.
const noCephOperator = "no rook-ceph-operator CSV found"

// errorSince returns when the operator began to fail, or the zero time if it does not report that.
func errorSince(sc *unstructured.Unstructured) time.Time {
	conditions := kube.Conditions(sc)
	if c := kube.FindCondition(conditions, "ReconcileComplete"); c.False() {
		return c.LastTransitionTime
	}
	return kube.FindCondition(conditions, "Degraded").LastTransitionTime
}

// needsUser reports whether the operator repeats an error until a user acts: too few nodes with the storage label, or a
// version that does not match.
func needsUser(sc *unstructured.Unstructured) bool {
	for _, c := range kube.Conditions(sc) {
		switch {
		case c.Type == "VersionMismatch" && c.True():
			return true
		case c.Type == "ReconcileComplete" && c.False() && c.Reason == "ReconcileFailed" &&
			strings.Contains(strings.ToLower(c.Message), "not enough nodes found"):
			return true
		}
	}
	return false
}

// deviceClasses returns the StorageClasses that a StorageCluster takes its disks from. There are none if Ceph is
// outside the cluster.
func deviceClasses(sc *unstructured.Unstructured) []string {
	var out []string
	for _, set := range kube.Maps(sc, "spec", "storageDeviceSets") {
		class, _, _ := unstructured.NestedString(set, "dataPVCTemplate", "spec", "storageClassName")
		out = append(out, class)
	}
	return out
}

// health adds Ceph's health to the finding that a StorageCluster is Ready: it stays Ready if Ceph is unhealthy. If
// reading CephClusters is forbidden, the conditions of the StorageCluster must do.
func (s storageCluster) health(ctx context.Context, r kube.Reader, sc *unstructured.Unstructured,
	ready step.Finding) step.Finding {
	list := kube.CephCluster.NewList()
	switch err := r.List(ctx, list); {
	case kube.IsKindMissing(err), apierrors.IsForbidden(err):
		return ready
	case err != nil:
		return kube.Unknown(err).On("CephClusters")
	}
	for i := range list.Items {
		if list.Items[i].GetNamespace() == sc.GetNamespace() {
			return judgeCeph(&list.Items[i], r.Now(), ready)
		}
	}
	return ready
}

// judgeCeph adds Ceph's health to the finding. Only a user can make room on full disks, so that is Broken at once.
func judgeCeph(ceph *unstructured.Unstructured, now time.Time, ready step.Finding) step.Finding {
	if f := prereq.Deleting(kube.CephCluster.Kind, ceph); f != nil {
		return *f
	}
	v := health.Judge(ceph, now)
	duration := now.Sub(v.Since)
	switch {
	case v.State == step.StateBroken && !v.Trouble: // it is full
		return v.WithHint("delete what is not needed, or add disks (%s); %s", hint.Run("bootstrap").Flag("grow-storage"),
			v.Hint)
	case v.State == step.StateBroken && duration < errorGrace:
		return v.Waiting().RecheckAfter(errorGrace - duration)
	case v.State == step.StateBroken:
		v.Trouble = false
		return v.Finding
	case v.State == step.StateWarning:
		ready.Message += "; " + v.Message
	}
	return ready
}
