package storage

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// From Data Foundation 4.19 on, a StorageCluster makes no StorageClasses. It makes StorageConsumer internal, which
// lists them, and a StorageClient of its own name. ocs-client-operator, which has no pods until there is a CephCluster,
// brings the StorageClient aboard (phase Connected), and makes the classes once the StorageConsumer is Ready. They are
// the StorageClient's, and go with it.
const (
	consumerName         = "internal"
	clientDeploymentName = "ocs-client-operator-controller-manager"
)

// clientRights are the rights to see how far the classes are.
func clientRights() []access.Rule {
	return listStorage("storageconsumers.ocs.openshift.io", "storageclients.ocs.openshift.io")
}

// storageClients are the StorageConsumer and the StorageClient of a StorageCluster, nil where they are not there.
type storageClients struct{ consumer, storageClient *unstructured.Unstructured }

// clientsOf reads them. known is false where the kinds are not registered (before 4.19), or may not be read.
func clientsOf(ctx context.Context, r kube.Reader, sc *unstructured.Unstructured) (found storageClients, known bool,
	err error) {
	of := func(kind kube.Kind, namespace, name string) (*unstructured.Unstructured, error) {
		list := kind.NewList()
		if err := r.List(ctx, list); err != nil {
			return nil, err
		}
		for i := range list.Items {
			if u := &list.Items[i]; u.GetName() == name && u.GetNamespace() == namespace {
				return u, nil
			}
		}
		return nil, nil
	}
	if found.storageClient, err = of(kube.StorageClient, "", sc.GetName()); err == nil {
		found.consumer, err = of(kube.StorageConsumer, sc.GetNamespace(), consumerName)
	}
	if kube.IsKindMissing(err) || apierrors.IsForbidden(err) {
		return storageClients{}, false, nil
	}
	return found, err == nil, err
}

// awaited says what a class that a StorageCluster is to have still waits for. None is the rest of the message.
func (s common) awaited(ctx context.Context, r kube.Reader, sc *unstructured.Unstructured, class,
	none string) step.Finding {
	generic := step.Pending("%s; it has not created its class %s yet", none, class).On("StorageCluster %s", kube.Name(sc))
	at, known, err := clientsOf(ctx, r, sc)
	switch {
	case err != nil:
		return kube.Unknown(err).On("StorageClients")
	case !known, at.consumer == nil && at.storageClient == nil && !s.usesClients(ctx, r):
		return generic
	}
	return judgeClients(sc, at, class, none)
}

// usesClients reports whether the Data Foundation that is installed makes its classes through a StorageClient. One that
// came by other means than OLM is not known to.
func (s common) usesClients(ctx context.Context, r kube.Reader) bool {
	_, version, err := s.operator(olm.DataFoundation()).Installed(ctx, r)
	return err == nil && !hasStorageSystems(version) // both changed with 4.19
}

func judgeClients(sc *unstructured.Unstructured, at storageClients, class, none string) step.Finding {
	consumer := "StorageConsumer " + sc.GetNamespace() + "/" + consumerName
	client := "StorageClient " + sc.GetName()
	hint := hint.New("its operator runs once there is a CephCluster: oc get deployment %s -n %s", clientDeploymentName,
		sc.GetNamespace())
	if at.consumer == nil {
		return step.Pending("%s; its operator has not created it yet, and class %s comes through it", none, class).
			On("%s", consumer)
	}
	for _, u := range []*unstructured.Unstructured{at.consumer, at.storageClient} {
		if u != nil && u.GetDeletionTimestamp() != nil {
			f := prereq.Deleting(u.GetKind(), u)
			f.Message = none + "; class " + class + " goes with it: " + f.Message
			return *f
		}
	}
	state := kube.Text(at.consumer, "status", "state")
	if at.storageClient == nil {
		return step.Pending("%s; its operator has not created it yet%s, and it brings class %s", none,
			inState(" (StorageConsumer "+consumerName+" is %s)", state), class).On("%s", client)
	}
	phase := kube.Text(at.storageClient, "status", "phase")
	switch {
	case phase == "Failed":
		return step.Broken("%s; it is to bring class %s, and its operator has given it up (phase Failed)", none, class).
			On("%s", client).WithHint("oc describe storageclient %s", at.storageClient.GetName())
	case phase != "Connected":
		return step.Pending("%s; it brings class %s once it is Connected%s", none, class, inState(", and is %s", phase)).
			On("%s", client).WithHint("%s", hint)
	case state == "Failed":
		return step.Broken("%s; class %s comes through it, and it has failed", none, class).On("%s", consumer).
			WithHint("oc describe storageconsumer %s -n %s", consumerName, sc.GetNamespace())
	case state != "Ready":
		return step.Pending("%s; class %s comes once it is Ready%s", none, class, inState(", and it is %s", state)).
			On("%s", consumer)
	case !slices.ContainsFunc(kube.Maps(at.consumer, "spec", "storageClasses"),
		func(m map[string]any) bool { return m["name"] == class }):
		return step.Pending("%s; it does not list class %s yet", none, class).On("%s", consumer)
	}
	return step.Pending("%s; it is Connected and has not created class %s yet", none, class).On("%s", client).
		WithHint("%s", hint)
}

// inState says a state, where there is one.
func inState(format, state string) string {
	if state == "" {
		return ""
	}
	return fmt.Sprintf(format, state)
}

// volumesOfClient are the PersistentVolumes that keep a StorageClient, and with it the StorageCluster, from going:
// those with its profile as clusterID, which is openshift-storage. Claims of them are found by claims.use.
func volumesOfClient(ctx context.Context, r kube.Reader) ([]corev1.PersistentVolume, error) {
	list := &corev1.PersistentVolumeList{}
	if err := r.List(ctx, list); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list.Items, func(pv corev1.PersistentVolume) bool {
		csi := pv.Spec.CSI
		return csi == nil || !strings.HasSuffix(csi.Driver, ".csi.ceph.com") ||
			csi.VolumeAttributes["clusterID"] != clientProfileName
	}), nil
}

// clientProfileName is the client profile of internal StorageConsumers of StorageClusters that were no providers before
// 4.19.
const clientProfileName = "openshift-storage"

// heldByClient says what holds a StorageCluster that is being deleted, beyond what its own status says: "" for nothing
// that is known.
func heldByClient(ctx context.Context, r kube.Reader, sc *unstructured.Unstructured) string {
	at, known, err := clientsOf(ctx, r, sc)
	if err != nil || !known || at.storageClient == nil {
		return ""
	}
	words := "it waits for StorageClient " + at.storageClient.GetName() +
		inState(" (%s)", kube.Text(at.storageClient, "status", "phase"))
	volumes, err := volumesOfClient(ctx, r)
	if err != nil || len(volumes) == 0 {
		return words
	}
	return fmt.Sprintf("%s, which waits until these are gone: PersistentVolume %s", words, volumeNames(volumes))
}

func volumeNames(volumes []corev1.PersistentVolume) string {
	names := make([]string, 0, len(volumes))
	for i := range volumes {
		names = append(names, volumes[i].Name)
	}
	return fewOf(names)
}

// keptVolumes says that volumes without a claim would keep a StorageClient, and so the StorageCluster, from going; nil
// where there are none, or where no StorageClient is.
func keptVolumes(ctx context.Context, r kube.Reader, sc *unstructured.Unstructured) *step.Finding {
	at, known, err := clientsOf(ctx, r, sc)
	switch {
	case err != nil:
		return unread(err, "StorageClients")
	case !known || at.storageClient == nil:
		return nil
	}
	volumes, err := volumesOfClient(ctx, r)
	if err != nil {
		return unread(err, "PersistentVolumes")
	}
	kept := slices.DeleteFunc(volumes, func(pv corev1.PersistentVolume) bool {
		return pv.Status.Phase != corev1.VolumeReleased ||
			pv.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimRetain
	})
	if len(kept) == 0 {
		return nil
	}
	f := step.Broken("volumes of it are kept without a claim, and its StorageClient would wait for them: "+
		"PersistentVolume %s", volumeNames(kept)).On("StorageCluster %s", kube.Name(sc)).
		WithHint("save their data and delete them first: oc patch pv NAME -p " +
			`'{"spec":{"persistentVolumeReclaimPolicy":"Delete"}}'`)
	return &f
}
