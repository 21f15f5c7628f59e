package storage

import (
	"context"
	"strings"

	storagev1 "k8s.io/api/storage/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// BindingMode is the prerequisite of this file.
const BindingMode step.ID = "storage/binding-mode"

// bindingMode reports when the classes in use bind their volumes. Both modes work; a class without a provisioner does
// not.
type bindingMode struct{ common }

func (s bindingMode) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: BindingMode, Title: "volume binding", Needs: []step.ID{DefaultClass},
		Check:  s.check,
		Rights: prereq.Rights{Check: listStorage("storageclasses.storage.k8s.io")},
	}
}

func (s bindingMode) check(ctx context.Context, r kube.Reader) step.Finding {
	if f := s.none(); f != nil {
		return *f
	}
	classes, err := storageClasses(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("StorageClasses")
	}
	return judgeBinding(usedClasses(classes))
}

func judgeBinding(used []storagev1.StorageClass) step.Finding {
	if len(used) == 0 {
		return *noClass()
	}
	var messages []string
	for i := range used {
		class := &used[i]
		if why := unusable(class); why != "" {
			return step.Broken("it %s", why).On("StorageClass %s", class.Name).
				WithHint("choose another default: hcctl bootstrap --default-storage-class NAME")
		}
		mode := storagev1.VolumeBindingImmediate
		if class.VolumeBindingMode != nil {
			mode = *class.VolumeBindingMode
		}
		words := string(mode)
		if class.AllowVolumeExpansion == nil || !*class.AllowVolumeExpansion {
			words += ", its volumes cannot be made larger later"
		}
		if len(used) > 1 {
			words = class.Name + " " + words
		}
		messages = append(messages, words)
	}
	f := step.OK("%s", strings.Join(messages, "; "))
	f.Object = "StorageClass " + strings.Join(classNames(used), ", ")
	return f
}
