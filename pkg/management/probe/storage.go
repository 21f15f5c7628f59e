package probe

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/prereqs/storage"
	"github.com/hcctl/hcctl/pkg/step"
)

const (
	claimName = "volume"
	// volumeSize is the size of a probe's volume, and largerSize the size after its expansion.
	volumeSize, largerSize = "1Gi", "2Gi"
	// dataPath is the mount path of a file system, and devicePath the path of a block device.
	dataPath, devicePath = "/data", "/dev/probe"
)

func etcdVolume() Probe {
	return Probe{
		ID: "probe/storage-etcd", Title: "volume for etcd", Name: Storage,
		Rests: []step.ID{"storage/default-class"}, Rights: volumeRights(),
		Run: func(ctx context.Context, s *session) step.Finding {
			class, f := s.class(ctx, s.options.Volumes.EtcdClass, storage.EtcdClass, "for etcd")
			if f != nil {
				return *f
			}
			return s.tryVolume(ctx, class, etcdKind())
		},
	}
}

// etcdKind returns the kind of volume that HyperShift requests for etcd.
func etcdKind() kind { return kind{corev1.ReadWriteOnce, corev1.PersistentVolumeFilesystem} }

func diskVolume() Probe {
	return Probe{
		ID: "probe/storage-disk", Title: "volume for VM disks", Name: Storage,
		Rests: []step.ID{"storage/default-class"}, Rights: volumeRights(),
		Run: func(ctx context.Context, s *session) step.Finding {
			class, k, f := s.disk(ctx)
			if f != nil {
				return *f
			}
			return s.tryVolume(ctx, class, k)
		},
	}
}

type kind struct {
	access corev1.PersistentVolumeAccessMode
	mode   corev1.PersistentVolumeMode
}

func (k kind) String() string { return string(k.access) + " " + string(k.mode) }

// class returns the class with this name, or the one that the cluster chooses.
func (s *session) class(ctx context.Context, name string, chosen func([]storagev1.StorageClass) *storagev1.StorageClass,
	purpose string) (*storagev1.StorageClass, *step.Finding) {
	list := &storagev1.StorageClassList{}
	if err := s.client.List(ctx, list); err != nil {
		f := failure(err).On("StorageClasses")
		return nil, &f
	}
	class := chosen(list.Items)
	if name != "" {
		class = nil
		if at := slices.IndexFunc(list.Items, func(c storagev1.StorageClass) bool { return c.Name == name }); at >= 0 {
			class = &list.Items[at]
		}
	}
	if class == nil {
		f := step.Broken("there is no class %s", purpose).On("StorageClasses").
			WithHint("%s", hint.Run("check").Flag("only", "storage"))
		return nil, &f
	}
	if ptr.Deref(class.ReclaimPolicy, corev1.PersistentVolumeReclaimDelete) != corev1.PersistentVolumeReclaimDelete {
		f := step.Finding{State: step.StateSkipped, Object: "StorageClass " + class.Name,
			Message: fmt.Sprintf("not tried: its reclaimPolicy is %s, so the probe would leave a volume behind",
				*class.ReclaimPolicy)}
		return nil, &f
	}
	return class, nil
}

// disk returns the class and the kind of volume of a worker's disk.
func (s *session) disk(ctx context.Context) (*storagev1.StorageClass, kind, *step.Finding) {
	k := kind{mode: corev1.PersistentVolumeFilesystem}
	class, f := s.class(ctx, s.options.Volumes.DiskClass, storage.DiskClass, "for VM disks")
	if f != nil {
		return nil, k, f
	}
	profile := kube.StorageProfile.New()
	err := s.client.Get(ctx, types.NamespacedName{Name: class.Name}, profile)
	if err != nil && !apierrors.IsNotFound(err) {
		f := failure(err).On("StorageProfile %s", class.Name)
		return nil, k, &f
	}
	// CDI uses the first set of a profile for a DataVolume without other settings.
	for _, set := range kube.Maps(profile, "status", "claimPropertySets") {
		modes, _ := set["accessModes"].([]any)
		if len(modes) == 0 {
			continue
		}
		access, _ := modes[0].(string)
		mode, _ := set["volumeMode"].(string)
		k = kind{corev1.PersistentVolumeAccessMode(access), corev1.PersistentVolumeMode(mode)}
		break
	}
	if wanted := s.options.Volumes.DiskAccessModes; len(wanted) > 0 {
		k.access = corev1.PersistentVolumeAccessMode(wanted[0])
	}
	k.mode = cmp.Or(corev1.PersistentVolumeMode(s.options.Volumes.DiskVolumeMode), k.mode)
	if k.access == "" {
		f := step.Broken("it does not say which volumes the class makes, so the disks of worker VMs fail").
			On("StorageProfile %s", class.Name).WithHint("%s", hint.Run("check").Flag("only", "storage/volume-profile"))
		return nil, k, &f
	}
	return class, k, nil
}

func (s *session) claim(class *storagev1.StorageClass, k kind) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: claimName},
		Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: &class.Name, AccessModes: []corev1.PersistentVolumeAccessMode{k.access},
			VolumeMode: ptr.To(k.mode),
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{
				corev1.ResourceStorage: resource.MustParse(volumeSize)}},
		},
	}
}

// tryVolume claims a volume, writes to it and reads it back in a pod, and expands and snapshots it if the class
// supports that.
func (s *session) tryVolume(ctx context.Context, class *storagev1.StorageClass, k kind) step.Finding {
	object := "StorageClass " + class.Name
	claim := s.claim(class, k)
	if err := s.create(ctx, claim); err != nil {
		return failure(err).On("%s", object)
	}
	image, unnamed := s.image(ctx)
	if unnamed != nil {
		return *unnamed
	}
	pod := s.pod("writer", image, writeScript(k.mode, random()))
	s.use(pod, k.mode)
	_, f := s.runPod(ctx, pod)
	if f.State != step.StateOK {
		return s.unwritten(ctx, claim, f).On("%s", object)
	}
	done := []string{k.String() + " bound, written and read back"}
	for _, more := range []func(context.Context, *storagev1.StorageClass, *corev1.PersistentVolumeClaim) (string,
		step.Finding){s.enlarge, s.snapshot} {
		word, f := more(ctx, class, claim)
		if f.State != step.StateOK {
			return f.On("%s", object)
		}
		if word != "" {
			done = append(done, word)
		}
	}
	return step.OK("%s", strings.Join(done, ", ")).On("%s", object)
}

// use mounts the claim into a pod.
func (s *session) use(pod *corev1.Pod, mode corev1.PersistentVolumeMode) {
	source := corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claimName}}
	if mode != corev1.PersistentVolumeBlock {
		mount(pod, "volume", dataPath, source)
		return
	}
	pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: "volume", VolumeSource: source})
	pod.Spec.Containers[0].VolumeDevices = []corev1.VolumeDevice{{Name: "volume", DevicePath: devicePath}}
}

// writeScript writes a token to a volume, flushes it and reads it back.
func writeScript(mode corev1.PersistentVolumeMode, token string) string {
	target := dataPath + "/token"
	if mode == corev1.PersistentVolumeBlock {
		target = devicePath
	}
	return fmt.Sprintf(`set -e
printf %%s %[1]s | dd of=%[2]s bs=4096 conv=sync,fsync status=none
test "$(head -c %[3]d %[2]s)" = %[1]s || { echo "what was read is not what was written"; exit 1; }`,
		token, target, len(token))
}

// unwritten adds why a volume was not written: the claim's events explain more than the waiting pod.
func (s *session) unwritten(ctx context.Context, claim *corev1.PersistentVolumeClaim, f step.Finding) step.Finding {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookInterval)
	defer cancel()
	now := &corev1.PersistentVolumeClaim{}
	if s.client.Get(ctx, client.ObjectKeyFromObject(claim), now) != nil || now.Status.Phase == corev1.ClaimBound ||
		f.State != step.StateBroken {
		return f
	}
	why := s.lastEvent(ctx, claim)
	if why != "" {
		why = ": " + why
	}
	return step.Broken("its claim has no volume (%s)%s", short(f.Message), why).
		WithHint("see what provisions the volumes of the class: %s", hint.Run("check").Flag("only", "storage"))
}
