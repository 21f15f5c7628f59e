package storage

import (
	"context"
	"slices"
	"strings"

	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/provisioner"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// BindingMode is the prerequisite of this file.
const BindingMode step.ID = "storage/binding-mode"

// bindingMode reports the volume binding modes of the classes in use. Both modes work; a class without a provisioner
// does not.
type bindingMode struct{ common }

func (s bindingMode) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: BindingMode, Title: "volume binding", Needs: []step.ID{DefaultClass},
		Check:  s.check,
		Rights: prereq.Rights{Check: listStorage("storageclasses.storage.k8s.io")},
	}
}

func (s bindingMode) check(ctx context.Context, r kube.Reader) step.Finding {
	classes, f := s.classes(ctx, r)
	if f != nil {
		return *f
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
				WithHint("choose another default: %s", hint.Run("bootstrap").Flag("default-storage-class", "NAME"))
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

// Provisioner is the prerequisite of this file.
const Provisioner step.ID = "storage/provisioner"

// classProvisioner reports what is known about the provisioners of the classes in use. A provisioner that is known to
// make no volumes fails DefaultClass instead.
type classProvisioner struct{ common }

func (s classProvisioner) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: Provisioner, Title: "volume provisioners", Severity: step.Advisory, Needs: []step.ID{DefaultClass},
		Check: s.check,
		Rights: prereq.Rights{Check: slices.Concat(listStorage("storageclasses.storage.k8s.io"), provisioner.RightsDead(),
			provisioner.Rights())},
		Preflight: &prereq.Preflight{For: func(w prereq.Wanted) bool { return w.DefaultClass }},
	}
}

func (s classProvisioner) check(ctx context.Context, r kube.Reader) step.Finding {
	classes, f := s.classes(ctx, r)
	if f != nil {
		return *f
	}
	used := usedClasses(classes)
	if len(used) == 0 {
		return *noClass()
	}
	var claims provisioner.Claims
	dead := make([]bool, len(used))
	err := kube.Together(
		func() error {
			for i := range used {
				dead[i] = unusable(&used[i]) != "" || s.dead(ctx, r, &used[i]) != nil
			}
			return nil
		},
		func() (err error) { claims, err = provisioner.ClaimsOf(ctx, r, used); return err },
	)
	var alive []storagev1.StorageClass
	for i := range used {
		if !dead[i] { // DefaultClass says so
			alive = append(alive, used[i])
		}
	}
	if used = alive; len(used) == 0 {
		return *noClass()
	}
	if err != nil {
		return kube.Unknown(err).On("PersistentVolumeClaims")
	}
	var first step.Finding
	for i := range used {
		f, err := provisioner.Judge(ctx, r, &used[i], claims)
		if err != nil {
			return kube.Unknown(err).On("StorageClass %s", used[i].Name)
		}
		if f.State != step.StateOK {
			return f
		}
		if first.Message == "" {
			first = f
		}
	}
	return first
}

// deadOf returns a finding if one of the classes in use has a provisioner that does not run, else nil.
func (s common) deadOf(ctx context.Context, r kube.Reader, classes []storagev1.StorageClass) *step.Finding {
	used := usedClasses(classes)
	for i := range used {
		f := s.dead(ctx, r, &used[i])
		if f == nil || f.State == step.StateUnknown {
			continue
		}
		f.Hint = hint.New("%s: %s", f.Hint, s.insteadOf(ctx, r, &used[i], classes))
		return f
	}
	return nil
}

// insteadOf returns the command that takes a class out of use.
func (s common) insteadOf(ctx context.Context, r kube.Reader, dead *storagev1.StorageClass,
	classes []storagev1.StorageClass) hint.Text {
	if !markedDefault(dead) {
		return hint.New("oc annotate storageclass %s %s-", dead.Name, virtClassAnnotation)
	}
	for i := range classes {
		if unusable(&classes[i]) == "" && s.dead(ctx, r, &classes[i]) == nil {
			return hint.Run("bootstrap").Flag("default-storage-class", classes[i].Name).Text()
		}
	}
	return hint.New("oc annotate storageclass %s %s-, then %s installs storage", dead.Name, defaultClassAnnotation,
		hint.Run("bootstrap"))
}

// dead returns a finding if no running provisioner makes volumes of the class. It returns nil if one may, or if reading
// is forbidden.
func (s common) dead(ctx context.Context, r kube.Reader, class *storagev1.StorageClass) *step.Finding {
	f, err := provisioner.Dead(ctx, r, class)
	switch {
	case apierrors.IsForbidden(err):
		return nil
	case err != nil:
		return unread(err, "CSINodes")
	}
	return f
}

// Etcd is the prerequisite of this file.
const Etcd step.ID = "storage/etcd"

// etcdStorage checks that the default class, which the etcd of hosted clusters uses, is not a network file system. No
// API reports how fast its disks are.
type etcdStorage struct{ common }

func (s etcdStorage) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: Etcd, Title: "storage for etcd", Severity: step.Advisory, Needs: []step.ID{DefaultClass},
		Check:  s.check,
		Rights: prereq.Rights{Check: listStorage("storageclasses.storage.k8s.io")},
	}
}

func (s etcdStorage) check(ctx context.Context, r kube.Reader) step.Finding {
	classes, f := s.classes(ctx, r)
	if f != nil {
		return *f
	}
	marked := defaultsOf(classes)
	if len(marked) == 0 {
		return *noClass()
	}
	return judgeEtcd(&marked[0])
}

func judgeEtcd(class *storagev1.StorageClass) step.Finding {
	if kind := networkFileSystem(class.Provisioner); kind != "" {
		return step.Missing("provisioner %s serves %s, and etcd wants block storage, which syncs faster", class.Provisioner,
			kind).On("StorageClass %s", class.Name).
			WithHint("name a class of block storage for it: %s",
				hint.Run("create cluster").Flag("etcd-storage-class", "NAME"))
	}
	return step.OK("no network file system; whether its disks sync in under 10 ms (99th percentile), as etcd needs, "+
		"cannot be read through the API").On("StorageClass %s", class.Name)
}

// networkFileSystem returns the network file system that a provisioner serves, or "" if none is known. NFS provisioners
// have it in their names: nfs.csi.k8s.io, k8s-sigs.io/nfs-subdir-external-provisioner, example.com/nfs,
// openshift-storage.nfs.csi.ceph.com.
func networkFileSystem(provisioner string) string {
	switch lower := strings.ToLower(provisioner); {
	case strings.Contains(lower, "nfs"):
		return "NFS"
	case strings.Contains(lower, "smb.csi"), strings.Contains(lower, "cifs"):
		return "SMB"
	case strings.HasSuffix(lower, ".cephfs.csi.ceph.com"):
		return "CephFS"
	case strings.Contains(lower, "glusterfs"):
		return "GlusterFS"
	}
	return ""
}
