package objects_test

import (
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects/objectstest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
)

// TestShownServices: how services that a node port publishes are told, with a port where one is set.
func TestShownServices(t *testing.T) {
	want := objects.TypedHostedCluster(optionstest.Valid(t, optionstest.Named(nil)), objectstest.Inputs())
	const asked = "APIServer by LoadBalancer, Ignition by Route, Konnectivity by Route, OAuthServer by Route"
	for shown, port := range map[string]int32{"at 192.0.2.1": 0, "at 192.0.2.1:30443": 30443} {
		have := want.DeepCopy()
		have.Spec.Services = []hyperv1.ServicePublishingStrategyMapping{{Service: hyperv1.APIServer,
			ServicePublishingStrategy: hyperv1.ServicePublishingStrategy{Type: hyperv1.NodePort,
				NodePort: &hyperv1.NodePortPublishingStrategy{Address: "192.0.2.1", Port: port}}}}
		got := objects.Describe(objects.FixedInHostedCluster(have, want))
		if all := "spec.services is APIServer by NodePort " + shown + ", asked for " + asked; got != all {
			t.Errorf("got %s\nwant %s", got, all)
		}
	}
}

// TestShownDriver: how the storage of another cluster is told.
func TestShownDriver(t *testing.T) {
	want := objects.TypedHostedCluster(optionstest.Valid(t, optionstest.Named(nil)), objectstest.Inputs())
	have := want.DeepCopy()
	have.Spec.Platform.Kubevirt.StorageDriver = &hyperv1.KubevirtStorageDriverSpec{
		Type: hyperv1.ManualKubevirtStorageDriverConfigType,
		Manual: &hyperv1.KubevirtManualStorageDriverConfig{
			StorageClassMapping: []hyperv1.KubevirtStorageClassMapping{
				{InfraStorageClassName: "fast", GuestStorageClassName: "gold", Group: "a"},
				{InfraStorageClassName: "slow", GuestStorageClassName: "tin"}},
			VolumeSnapshotClassMapping: []hyperv1.KubevirtVolumeSnapshotClassMapping{
				{InfraVolumeSnapshotClassName: "snap", GuestVolumeSnapshotClassName: "shot", Group: "a"}},
		}}
	const all = "spec.platform.kubevirt.storageDriver is Manual fast/gold,group=a slow/tin snap/shot,group=a, asked for " +
		"not set"
	if got := objects.Describe(objects.FixedInHostedCluster(have, want)); got != all {
		t.Errorf("got %s\nwant %s", got, all)
	}
}

// TestShownCredentials: another cluster for the machines is told by its namespace, and by its Secret if it has one.
func TestShownCredentials(t *testing.T) {
	want := objects.TypedHostedCluster(optionstest.Valid(t, optionstest.Named(nil)), objectstest.Inputs())
	for shown, secret := range map[string]*hyperv1.KubeconfigSecretRef{"namespace vms": nil,
		"namespace vms by Secret infra": {Name: "infra", Key: "kubeconfig"}} {
		have := want.DeepCopy()
		have.Spec.Platform.Kubevirt.Credentials = &hyperv1.KubevirtPlatformCredentials{InfraNamespace: "vms",
			InfraKubeConfigSecret: secret}
		got := objects.Describe(objects.FixedInHostedCluster(have, want))
		if all := "spec.platform.kubevirt.credentials is " + shown + ", asked for not set"; got != all {
			t.Errorf("got %s\nwant %s", got, all)
		}
	}
}

// TestEmptyOperatorConfiguration: an operator configuration without that of the network says nothing about it.
func TestEmptyOperatorConfiguration(t *testing.T) {
	want := objects.TypedHostedCluster(optionstest.Valid(t, optionstest.Named(nil)), objectstest.Inputs())
	have := want.DeepCopy()
	have.Spec.OperatorConfiguration = &hyperv1.OperatorConfiguration{}
	if got := objects.Describe(objects.FixedInHostedCluster(have, want)); got != "" {
		t.Errorf("got %s", got)
	}
}

// TestAutoscaledReplicas: a pool that is scaled by itself differs from one of a fixed size.
func TestAutoscaledReplicas(t *testing.T) {
	o := optionstest.Valid(t, optionstest.Named(nil))
	want := objects.TypedNodePool(o, o.NodePools[0], objectstest.Inputs())
	for shown, scaling := range map[string]*hyperv1.NodePoolAutoScaling{"autoscaled 1 to 3": {Min: 1, Max: 3},
		"not set": nil} {
		have := want.DeepCopy()
		have.Spec.Replicas, have.Spec.AutoScaling = nil, scaling
		got := objects.Describe(objects.ChangeableInNodePool(have, want))
		if all := "spec.replicas is " + shown + ", asked for 2"; got != all {
			t.Errorf("got %s\nwant %s", got, all)
		}
	}
}
