package storage

import (
	"context"
	"fmt"
	"slices"
	"strings"

	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// SnapshotClass is the prerequisite of this file.
const SnapshotClass step.ID = "storage/snapshot-class"

const defaultSnapshotAnnotation = "snapshot.storage.kubernetes.io/is-default-class"

// snapshotClass checks that there is one default VolumeSnapshotClass for the driver of each class in use. Without it
// the snapshots of hosted clusters never become ready, because they name no class.
type snapshotClass struct{ common }

func (s snapshotClass) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: SnapshotClass, Title: "default snapshot class", Severity: step.Advisory, Needs: []step.ID{DefaultClass},
		Check: s.check,
		Rights: prereq.Rights{
			Check: listStorage("storageclasses.storage.k8s.io", "volumesnapshotclasses.snapshot.storage.k8s.io"),
		},
	}
}

func (s snapshotClass) check(ctx context.Context, r kube.Reader) step.Finding {
	classes, f := s.classes(ctx, r)
	if f != nil {
		return *f
	}
	list := kube.VolumeSnapshotClass.NewList()
	err := r.List(ctx, list)
	switch {
	case kube.IsKindMissing(err):
		return step.Missing("the kind is not registered: the cluster has no CSI snapshot controller").
			On("VolumeSnapshotClasses").
			WithHint("oc get clusteroperator csi-snapshot-controller storage")
	case err != nil:
		return kube.Unknown(err).On("VolumeSnapshotClasses")
	}
	return judgeSnapshots(usedClasses(classes), list.Items)
}

func judgeSnapshots(used []storagev1.StorageClass, all []unstructured.Unstructured) step.Finding {
	if len(used) == 0 {
		return *noClass()
	}
	var messages []string
	for i := range used {
		driver := used[i].Provisioner
		var of, marked []string
		for _, u := range all {
			if kube.Text(&u, "driver") != driver || u.GetDeletionTimestamp() != nil {
				continue
			}
			of = append(of, u.GetName())
			if u.GetAnnotations()[defaultSnapshotAnnotation] == "true" {
				marked = append(marked, u.GetName())
			}
		}
		switch {
		case len(of) == 0:
			return step.Missing("none is for driver %s, so volumes of class %s have no snapshots", driver, used[i].Name).
				On("VolumeSnapshotClasses")
		case len(marked) == 0:
			return step.Missing("none of driver %s is the default one (%s), so snapshots that hosted clusters take never "+
				"become ready", driver, strings.Join(of, ", ")).On("VolumeSnapshotClasses").
				WithHint("oc annotate volumesnapshotclass %s %s=true", of[0], defaultSnapshotAnnotation)
		case len(marked) > 1:
			return step.Missing("%d of driver %s are marked as default: %s; one must remain", len(marked), driver,
				strings.Join(marked, ", ")).On("VolumeSnapshotClasses").
				WithHint("oc annotate volumesnapshotclass %s %s-", strings.Join(marked[1:], " "), defaultSnapshotAnnotation)
		}
		if message := fmt.Sprintf("%s for driver %s", marked[0], driver); !slices.Contains(messages, message) {
			messages = append(messages, message)
		}
	}
	return step.OK("%s", strings.Join(messages, ", ")).On("VolumeSnapshotClasses")
}
