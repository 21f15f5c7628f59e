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

// From Data Foundation 4.19 on, a StorageCluster makes no StorageClasses itself. It makes StorageConsumer internal,
// which lists the classes, and a StorageClient with its own name.
//
// ocs-client-operator, which has no pods until there is a CephCluster, connects the StorageClient (phase Connected) and
// makes the classes once the StorageConsumer is Ready. The StorageClient owns the classes, and they are deleted with
// it.
const (
	consumerName         = "internal"
	clientDeploymentName = "ocs-client-operator-controller-manager"
)

// clientRights returns the rights to read the StorageConsumer and the StorageClient.
func clientRights() []access.Rule {
	return listStorage("storageconsumers.ocs.openshift.io", "storageclients.ocs.openshift.io")
}

// storageClients are the StorageConsumer and the StorageClient of a StorageCluster, nil if missing.
type storageClients struct{ consumer, storageClient *unstructured.Unstructured }

// clientsOf reads the storage clients. known is false if the kinds are not registered (before 4.19), or reading is
// forbidden.
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

// awaited returns what the creation of a StorageCluster's class still waits for. none is the first part of the message.
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

// usesClients reports whether the installed Data Foundation makes its classes through a StorageClient. It is false for
// an installation without OLM, whose version is unknown.
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

// inState formats a state, or returns "" if the state is empty.
func inState(format, state string) string {
	if state == "" {
		return ""
	}
	return fmt.Sprintf(format, state)
}

// volumesOfClient returns the PersistentVolumes that block the deletion of a StorageClient and so of the
// StorageCluster: those whose clusterID is its profile, openshift-storage. claims.use finds claims of them.
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

// clientProfileName names the client profile of an internal StorageConsumer, if the StorageCluster was not a provider
// before 4.19.
const clientProfileName = "openshift-storage"

// heldByClient returns what blocks the deletion of a StorageCluster beyond its own status, or "" if nothing is known.
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

// keptVolumes returns a finding if volumes without a claim would block the deletion of the StorageClient and so of the
// StorageCluster. It returns nil if there are no such volumes or no StorageClient.
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
