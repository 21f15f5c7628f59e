package oadp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// Plugins that a DataProtectionApplication may list (oadp-operator, dataprotectionapplication_types.go). In older
// versions of OADP the HyperShift plugin is a custom plugin with the name customPluginHyperShift.
const (
	pluginHyperShift       = "hypershift"
	pluginCSI              = "csi"
	customPluginHyperShift = "hypershift-oadp-plugin"
)

// bootImageLabel is on the volume claims of the workers' boot images, which the vendor's procedure excludes.
const bootImageLabel = "hypershift.openshift.io/is-kubevirt-rhcos"

// backupTTL is the time for which Velero keeps the backup. It is Velero's default.
const backupTTL = "720h0m0s"

// Objects has the two objects, and notes for the user about the restore.
type Objects struct {
	Backup, Restore *unstructured.Unstructured
	Notes           []string
}

// NotReadyError means that OADP is not installed or has no HyperShift plugin.
type NotReadyError struct {
	Why  string
	What hint.Text
}

func (e *NotReadyError) Error() string { return e.Why }

// Hint returns the advice in What.
func (e *NotReadyError) Hint() hint.Text { return e.What }

// Failure returns the kind of the error.
func (*NotReadyError) Failure() failure.Kind { return failure.Final }

// Render returns the objects for a hosted cluster. It fails with *NotReadyError if OADP cannot use them.
func Render(ctx context.Context, c *kube.Client, hc *hyperv1.HostedCluster, at time.Time) (*Objects, error) {
	if !hostedcluster.PlatformOf(hc).KubeVirt() {
		return nil, fmt.Errorf("HostedCluster %s is of platform %s: hcctl knows the vendor's procedure for KubeVirt only",
			kube.Name(hc), hc.Spec.Platform.Type)
	}
	dpa, err := pluginApplication(ctx, c)
	if err != nil {
		return nil, err
	}
	others, err := otherClusters(ctx, c, hc)
	if err != nil {
		return nil, err
	}
	namespaces := []any{hc.Namespace, hostedcluster.ControlPlaneNamespace(hc.Namespace, hc.Name)}
	name := fmt.Sprintf("%s-%s", namespaces[1], at.UTC().Format("20060102-150405"))
	o := &Objects{Notes: requirementNotes(dpa)}
	// The vendor's procedure overwrites existing objects. That is not safe if they may belong to another cluster.
	policy := "update"
	if len(others) > 0 {
		policy = "none"
		o.Notes = append(o.Notes, fmt.Sprintf("namespace %s has other hosted clusters, too (%s): the backup has their "+
			"objects, and the restore brings back what was deleted of them since; it leaves what exists as it is", hc.Namespace,
			strings.Join(others, ", ")))
	}
	o.Backup = object("Backup", dpa.GetNamespace(), name, map[string]any{
		"includedNamespaces": namespaces,
		"includedResources": []any{"sa", "role", "rolebinding", "deployment", "statefulset", "pv", "pvc", "bmh", "configmap",
			"infraenv", "priorityclasses", "pdb", "hostedcluster", "nodepool", "secrets", "hostedcontrolplane", "cluster",
			"datavolume", "service", "route"},
		"labelSelector": map[string]any{"matchExpressions": []any{
			map[string]any{"key": bootImageLabel, "operator": "DoesNotExist"}}},
		"ttl": backupTTL, "snapshotMoveData": true, "datamover": "velero", "defaultVolumesToFsBackup": false,
	})
	o.Restore = object("Restore", dpa.GetNamespace(), name, map[string]any{
		"backupName": name, "includedNamespaces": slices.Clone(namespaces), "restorePVs": true, "preserveNodePorts": true,
		"existingResourcePolicy": policy,
		"excludedResources": []any{"nodes", "events", "events.events.k8s.io", "backups.velero.io", "restores.velero.io",
			"resticrepositories.velero.io"},
	})
	return o, nil
}

func object(kind, namespace, name string, spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "velero.io/v1", "kind": kind,
		"metadata": map[string]any{"namespace": namespace, "name": name}, "spec": spec}}
}

// pluginApplication returns the DataProtectionApplication that has the HyperShift plugin.
func pluginApplication(ctx context.Context, c *kube.Client) (*unstructured.Unstructured, error) {
	instead := hint.New("%s needs nothing but the cluster", hint.Run("backup", "NAME"))
	list := kube.DataProtectionApplication.NewList()
	err := c.List(ctx, list)
	switch {
	case kube.IsKindMissing(err):
		return nil, &NotReadyError{"OADP is not installed: there is no kind DataProtectionApplication", instead}
	case err != nil:
		return nil, fmt.Errorf("list DataProtectionApplications: %w", err)
	case len(list.Items) == 0:
		return nil, &NotReadyError{"OADP is installed, but there is no DataProtectionApplication", instead}
	}
	for i := range list.Items {
		custom := slices.ContainsFunc(kube.Maps(&list.Items[i], "spec", "configuration", "velero", "customPlugins"),
			func(p map[string]any) bool { return p["name"] == customPluginHyperShift })
		if custom || slices.Contains(plugins(&list.Items[i]), pluginHyperShift) {
			return &list.Items[i], nil
		}
	}
	return nil, &NotReadyError{
		fmt.Sprintf("DataProtectionApplication %s has no HyperShift plugin", kube.Name(&list.Items[0])),
		hint.New("add %s to spec.configuration.velero.defaultPlugins; without it Velero does not know in which "+
			"order hosted clusters are saved. Or: %s", pluginHyperShift, instead),
	}
}

func plugins(dpa *unstructured.Unstructured) []string {
	list, _, err := unstructured.NestedStringSlice(dpa.Object, "spec", "configuration", "velero", "defaultPlugins")
	if err != nil {
		return nil
	}
	return list
}

// requirementNotes returns notes about further requirements: CSI snapshots save etcd's volumes, and OADP's node agent
// moves the snapshots to the object storage.
func requirementNotes(dpa *unstructured.Unstructured) []string {
	var notes []string
	if !slices.Contains(plugins(dpa), pluginCSI) {
		notes = append(notes, fmt.Sprintf("DataProtectionApplication %s lacks the plugin %s, by which volumes are saved",
			kube.Name(dpa), pluginCSI))
	}
	if !kube.Flag(dpa, "spec", "configuration", "nodeAgent", "enable") {
		notes = append(notes, fmt.Sprintf("DataProtectionApplication %s has no node agent "+
			"(spec.configuration.nodeAgent.enable), which moves snapshots to the object storage", kube.Name(dpa)))
	}
	return notes
}

// otherClusters returns the names of the other hosted clusters in the namespace. The vendor warns about them because a
// backup includes whole namespaces.
func otherClusters(ctx context.Context, c *kube.Client, hc *hyperv1.HostedCluster) ([]string, error) {
	list := &hyperv1.HostedClusterList{}
	if err := c.List(ctx, list, client.InNamespace(hc.Namespace)); err != nil {
		return nil, fmt.Errorf("list HostedClusters in namespace %s: %w", hc.Namespace, err)
	}
	var names []string
	for i := range list.Items {
		if list.Items[i].Name != hc.Name {
			names = append(names, list.Items[i].Name)
		}
	}
	slices.Sort(names)
	return names, nil
}
