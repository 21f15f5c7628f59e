package managedcluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/Masterminds/semver/v3"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	addonv1 "open-cluster-management.io/api/addon/v1alpha1"
	clusterv1 "open-cluster-management.io/api/cluster/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// Importer describes how hosted clusters are imported at a hub.
type Importer struct {
	// Hosting is the ManagedCluster of the hub itself, on which the klusterlets of hosted clusters run.
	Hosting string
	// Off is why the hypershift addon does not import hosted clusters itself, or "" if it does.
	Off string
}

// ErrNotManaged means that a hub does not manage itself, so it cannot host klusterlets.
var ErrNotManaged = errors.New("the hub does not manage itself: it has no ManagedCluster with the label " + LocalLabel +
	"=true")

const (
	addonConfig     = "hypershift-addon-deploy-config"
	autoImportOff   = "autoImportDisabled"
	engineNamespace = "multicluster-engine"
	autoDetect      = "auto-detect"
	leaseDuration   = 60
)

// firstAutoImport is the first multicluster engine whose addon imports hosted clusters.
var firstAutoImport = semver.New(2, 4, 0, "", "")

// FindImporter reads how a hub imports its hosted clusters. It returns ErrNotManaged, or the error of a read.
func FindImporter(ctx context.Context, r kube.Reader) (Importer, error) {
	var local clusterv1.ManagedClusterList
	if err := r.List(ctx, &local, client.MatchingLabels{LocalLabel: "true"}); err != nil {
		return Importer{}, fmt.Errorf("ManagedClusters: %w", err)
	}
	if len(local.Items) == 0 {
		return Importer{}, ErrNotManaged
	}
	in := Importer{Hosting: local.Items[0].Name}
	engines := kube.MultiClusterEngine.NewList()
	if err := r.List(ctx, engines); err != nil && !kube.IsKindMissing(err) {
		return in, fmt.Errorf("MultiClusterEngines: %w", err)
	}
	if len(engines.Items) == 0 {
		in.Off = "there is no multicluster engine"
		return in, nil
	}
	engine := &engines.Items[0]
	version, err := semver.NewVersion(kube.Text(engine, "status", "currentVersion"))
	if err == nil && version.LessThan(firstAutoImport) {
		in.Off = "multicluster engine before 2.4 imports no hosted clusters"
		return in, nil
	}
	config := &addonv1.AddOnDeploymentConfig{}
	namespace := cmp.Or(kube.Text(engine, "spec", "targetNamespace"), engineNamespace)
	err = r.Get(ctx, client.ObjectKey{Namespace: namespace, Name: addonConfig}, config)
	switch {
	case apierrors.IsNotFound(err):
		return in, nil
	case err != nil:
		return in, fmt.Errorf("AddOnDeploymentConfig %s/%s: %w", namespace, addonConfig, err)
	}
	for _, v := range config.Spec.CustomizedVariables {
		if v.Name == autoImportOff && v.Value == "true" {
			in.Off = autoImportOff + " is true in AddOnDeploymentConfig " + namespace + "/" + addonConfig
		}
	}
	return in, nil
}

// For returns the ManagedCluster of a hosted cluster as the hypershift addon creates it, with the HostedCluster's
// labels (from 2.7 on). The addon deletes a ManagedCluster with these annotations together with the HostedCluster,
// whatever created it.
func (in Importer) For(hc *hyperv1.HostedCluster) *clusterv1.ManagedCluster {
	name := NameOf(hc)
	labels := map[string]string{"name": name, "vendor": autoDetect, "cloud": autoDetect, SetLabel: "default"}
	maps.Copy(labels, hc.Labels)
	return &clusterv1.ManagedCluster{
		TypeMeta: metav1.TypeMeta{APIVersion: clusterv1.GroupVersion.String(), Kind: "ManagedCluster"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels, Annotations: map[string]string{
			DeployModeAnnotation: HostedMode, HostingAnnotation: in.Hosting, CreatedViaAnnotation: CreatedViaHypershift}},
		Spec: clusterv1.ManagedClusterSpec{HubAcceptsClient: true, LeaseDurationSeconds: leaseDuration},
	}
}
