package storage

import (
	"context"
	"fmt"

	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/owner"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// lvmManager is the field manager of LVM Storage. From 4.22 on it writes the default mark of its classes at every
// reconcile, true or false as the device class requests: its "false" is not a user's decision, and it overwrites any
// other mark.
const lvmManager = "lvms-operator"

// markedByLVM reports whether LVM Storage writes the mark of the class.
func markedByLVM(class *storagev1.StorageClass) bool {
	_, marked := class.Annotations[defaultClassAnnotation]
	by, known := owner.SetBy(class, "metadata", "annotations", defaultClassAnnotation)
	return marked && known && by.Manager == lvmManager
}

// deviceClassOf returns the LVMCluster that makes a StorageClass, all its device classes, and the device class of this
// one. It returns nil if no LVMCluster makes the class.
func deviceClassOf(ctx context.Context, r kube.Reader, class string) (lvm *unstructured.Unstructured,
	all []map[string]any, one map[string]any, err error) {
	clusters, err := lvmClusters(ctx, r)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("LVMClusters: %w", err)
	}
	for i := range clusters {
		all = kube.Maps(&clusters[i], "spec", "storage", "deviceClasses")
		for _, one := range all {
			if lvmClassPrefix+prereq.Text(one, "name") == class {
				return &clusters[i], all, one, nil
			}
		}
	}
	return nil, nil, nil, nil
}

// setLVMDefault requests from LVM Storage that a class is marked as default, or is not. It does nothing for a class
// whose mark LVM Storage does not write.
func setLVMDefault(ctx context.Context, c *kube.Client, class *storagev1.StorageClass, want bool) (step.Change, error) {
	if !markedByLVM(class) {
		return step.Unchanged, nil
	}
	lvm, all, one, err := deviceClassOf(ctx, c, class.Name)
	if err != nil || lvm == nil {
		return step.Unchanged, err
	}
	if is, _ := one["default"].(bool); is == want {
		return step.Unchanged, nil
	}
	for _, other := range all {
		if want {
			delete(other, "default") // its webhook refuses two
		}
	}
	one["default"] = want
	return patchDeviceClasses(ctx, c, lvm, all)
}

// pendingMark returns a finding if LVM Storage was requested to mark the class and has not done so yet, else nil. LVM
// Storage marks no class while another one is marked.
func pendingMark(ctx context.Context, r kube.Reader, class *storagev1.StorageClass) *step.Finding {
	if markedDefault(class) || !markedByLVM(class) {
		return nil
	}
	lvm, _, one, err := deviceClassOf(ctx, r, class.Name)
	if err != nil {
		f := kube.Unknown(err)
		return &f
	}
	if requested, _ := one["default"].(bool); lvm == nil || !requested {
		return nil
	}
	f := step.Pending("LVMCluster %s asks for it to be the default one, and LVM Storage has not marked it yet",
		kube.Name(lvm)).On("StorageClass %s", class.Name)
	return &f
}
