package prereqs

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// storageCluster: Ceph, on the volumes made of the nodes' disks.
type storageCluster struct{ c *kube.Client }

func (s storageCluster) step() step.Step {
	return step.Step{
		ID: StorageCluster, Title: "storage cluster", Needs: []step.ID{DataFoundation, LocalVolumes},
		Check: s.check, Apply: s.apply, Timeout: 40 * time.Minute,
	}
}

func (s storageCluster) check(ctx context.Context) step.Finding {
	if f := storageKept(ctx, s.c); f != nil {
		return *f
	}
	clusters, err := storageClusters(ctx, s.c)
	if err != nil {
		return kube.Unread(err).On("StorageClusters")
	}
	return judgeStorageClusters(clusters)
}

// storageClusters lists them; none where the kind is not registered.
func storageClusters(ctx context.Context, c *kube.Client) ([]unstructured.Unstructured, error) {
	list := kube.StorageCluster.NewList()
	if err := c.List(ctx, list); err != nil && !kube.IsKindMissing(err) {
		return nil, err
	}
	return list.Items, nil
}

// judgeStorageClusters looks at the one that counts: operators ignore all others, with phase Ignored.
func judgeStorageClusters(clusters []unstructured.Unstructured) step.Finding {
	if len(clusters) == 0 {
		return step.NotThere("there is no StorageCluster").On("StorageCluster %s", storageClusterName)
	}
	sc := &clusters[0]
	for i := range clusters {
		if kube.Text(&clusters[i], "status", "phase") != "Ignored" {
			sc = &clusters[i]
			break
		}
	}
	object := "StorageCluster " + kube.Name(sc)
	switch phase := kube.Text(sc, "status", "phase"); phase {
	case "Ready":
	case "Ignored":
		return step.Stuck("its operator ignores it: another StorageCluster was there first").On("%s", object).WithHint("oc get storagecluster -A")
	case "":
		return step.Waiting("its operator has not looked at it yet").On("%s", object)
	default:
		if f := judgeStorageConditions(sc); f != nil {
			f.Message = phase + ": " + f.Message
			return *f
		}
		return step.Waiting("phase %s", phase).On("%s", object)
	}
	if f := judgeStorageConditions(sc); f != nil {
		return *f
	}
	return step.Okay("Ready").On("%s", object)
}

func judgeStorageConditions(sc *unstructured.Unstructured) *step.Finding {
	return judgeConditions(sc, []string{"ReconcileComplete", "Available"}, []string{"Degraded", "Progressing"}, nil)
}

// deviceClasses are the StorageClasses a StorageCluster takes its disks from.
func deviceClasses(sc *unstructured.Unstructured) []string {
	var out []string
	for _, set := range kube.Maps(sc, "spec", "storageDeviceSets") {
		class, _, _ := unstructured.NestedString(set, "dataPVCTemplate", "spec", "storageClassName")
		out = append(out, class)
	}
	return out
}

func (s storageCluster) apply(ctx context.Context) (step.Change, error) {
	namespace, version, err := installer{s.c, dataFoundationRow()}.installed(ctx)
	if err != nil {
		return "", err
	}
	volumes := &corev1.PersistentVolumeList{}
	if err = s.c.List(ctx, volumes); err != nil {
		return "", fmt.Errorf("PersistentVolumes: %w", err)
	}
	disks := 0
	for i := range volumes.Items {
		if volumes.Items[i].Spec.StorageClassName == localClass {
			disks++
		}
	}
	if disks == 0 {
		return "", fmt.Errorf("there are no PersistentVolumes of class %s to build a StorageCluster on", localClass)
	}
	change := step.Unchanged
	if hasStorageSystems(version) {
		change, err = s.c.Apply(ctx, newStorageSystem(namespace))
		if err != nil {
			return "", err
		}
	}
	created, err := s.c.Apply(ctx, newStorageCluster(namespace, disks, version))
	return step.Join(change, created), err
}
