package programs

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/hypershift/guest"
	"github.com/hcctl/hcctl/sandbox/hypershift/release"
)

// Annotations, keys and names of HyperShift v0.1.70 that its pods write.
const (
	featureGateJob       = "featuregate-generator"
	featureGateConfigMap = "feature-gate"
	featureGateKey       = "feature-gate.yaml"
	payloadVersion       = "hypershift.openshift.io/payload-version"
	tokenAnnotation      = "hypershift.openshift.io/ignition-config"
	reachedAnnotation    = "hypershift.openshift.io/ignition-reached"
	nodePoolLabel        = "hypershift.openshift.io/nodePool"
)

// featureGates writes what the pod of Job featuregate-generator would: the release's feature gates, here none.
func (c *controlPlanes) featureGates(ctx context.Context, namespace string) error {
	job := &batchv1.Job{}
	err := c.cached.Get(ctx, client.ObjectKey{Namespace: namespace, Name: featureGateJob}, job)
	if err != nil {
		return client.IgnoreNotFound(err)
	}
	if job.Status.Succeeded == 0 {
		return nil
	}
	version := ""
	for _, list := range [][]corev1.Container{job.Spec.Template.Spec.InitContainers, job.Spec.Template.Spec.Containers} {
		for _, container := range list {
			for _, v := range container.Env {
				if v.Name == "PAYLOAD_VERSION" {
					version = v.Value
				}
			}
		}
	}
	manifest, err := json.Marshal(configv1.FeatureGate{
		TypeMeta:   metav1.TypeMeta{Kind: "FeatureGate", APIVersion: configv1.GroupVersion.String()},
		ObjectMeta: metav1.ObjectMeta{Name: "cluster"},
		Status:     configv1.FeatureGateStatus{FeatureGates: []configv1.FeatureGateDetails{{Version: version}}},
	})
	if err != nil {
		return fmt.Errorf("write feature gates: %w", err)
	}
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: featureGateConfigMap}}
	err = c.Live.Get(ctx, client.ObjectKeyFromObject(cm), cm)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("get ConfigMap %s/%s: %w", namespace, featureGateConfigMap, err)
	}
	if err == nil && cm.Annotations[payloadVersion] == version {
		return nil
	}
	metav1.SetMetaDataAnnotation(&cm.ObjectMeta, payloadVersion, version)
	cm.Data = map[string]string{featureGateKey: string(manifest)}
	if apierrors.IsNotFound(err) {
		return c.Live.Create(ctx, cm)
	}
	return c.Live.Update(ctx, cm)
}

// ignition does what the ignition server does: it tells that a NodePool's configuration was rendered.
func (c *controlPlanes) ignition(ctx context.Context, namespace string) error {
	return c.eachToken(ctx, namespace, func(s *corev1.Secret) bool {
		if len(s.Data["reason"]) > 0 {
			return false
		}
		s.Data["reason"] = []byte(hyperv1.AsExpectedReason)
		s.Data["message"] = []byte("Payload generated successfully")
		return true
	})
}

// reached marks that a machine of the pool has fetched its configuration.
func (c *controlPlanes) reached(ctx context.Context, namespace, pool string) error {
	return c.eachToken(ctx, namespace, func(s *corev1.Secret) bool {
		if _, ok := s.Annotations[reachedAnnotation]; ok || !strings.HasPrefix(s.Name, "token-"+pool+"-") {
			return false
		}
		metav1.SetMetaDataAnnotation(&s.ObjectMeta, reachedAnnotation, "True")
		return true
	})
}

// eachToken changes the token Secrets of a control plane.
func (c *controlPlanes) eachToken(ctx context.Context, namespace string, change func(*corev1.Secret) bool) error {
	list := &corev1.SecretList{}
	if err := c.Live.List(ctx, list, client.InNamespace(namespace)); err != nil {
		return fmt.Errorf("list the Secrets in %s: %w", namespace, err)
	}
	for i := range list.Items {
		s := &list.Items[i]
		if _, ok := s.Annotations[tokenAnnotation]; !ok || s.Data == nil {
			continue
		}
		before := s.DeepCopy()
		if !change(s) {
			continue
		}
		if err := c.Live.Patch(ctx, s, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("write Secret %s/%s: %w", namespace, s.Name, err)
		}
	}
	return nil
}

// nodes registers the node of each running machine, and returns how many there are.
func (c *controlPlanes) nodes(ctx context.Context, hcp *hyperv1.HostedControlPlane, g *guestServer) (int, error) {
	machines := &kubevirtv1.VirtualMachineList{}
	if err := c.Live.List(ctx, machines, client.InNamespace(hcp.Namespace)); err != nil {
		return 0, fmt.Errorf("list VirtualMachines in %s: %w", hcp.Namespace, err)
	}
	payload, err := c.payload(hcp.Spec.ReleaseImage)
	if err != nil {
		return 0, err
	}
	for i := range machines.Items {
		vm := &machines.Items[i]
		if !vm.Status.Ready || !vm.DeletionTimestamp.IsZero() {
			continue
		}
		if err := c.register(ctx, g, vm, payload.Version); err != nil {
			return 0, err
		}
	}
	list := &corev1.NodeList{}
	if err := g.client.List(ctx, list); err != nil {
		return 0, fmt.Errorf("list the guest's nodes: %w", err)
	}
	ready := 0
	for i := range list.Items {
		if guest.NodeReady(&list.Items[i]) {
			ready++
		}
	}
	return ready, nil
}

// register creates the node of a machine, ready, as its kubelet and the network would.
func (c *controlPlanes) register(ctx context.Context, g *guestServer, vm *kubevirtv1.VirtualMachine,
	version string) error {
	pool := ""
	if vm.Spec.Template != nil {
		pool = vm.Spec.Template.ObjectMeta.Labels[hyperv1.NodePoolNameLabel]
	}
	node := &corev1.Node{}
	err := g.client.Get(ctx, client.ObjectKey{Name: vm.Name}, node)
	if apierrors.IsNotFound(err) {
		node = &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: vm.Name, Labels: map[string]string{
				corev1.LabelHostname: vm.Name, corev1.LabelOSStable: "linux", "node-role.kubernetes.io/worker": "",
				nodePoolLabel: pool,
			}},
			Spec: corev1.NodeSpec{ProviderID: "kubevirt://" + vm.Name},
		}
		err = g.client.Create(ctx, node)
	}
	if err != nil {
		return fmt.Errorf("register node %s in the guest: %w", vm.Name, err)
	}
	if guest.NodeReady(node) {
		return nil
	}
	now := metav1.Now()
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue,
		Reason: "KubeletReady", Message: "kubelet is posting ready status", LastHeartbeatTime: now, LastTransitionTime: now}}
	node.Status.NodeInfo.KubeletVersion = release.KubeletVersion(version)
	if err := g.client.Status().Update(ctx, node); err != nil {
		return fmt.Errorf("write the status of node %s in the guest: %w", vm.Name, err)
	}
	return c.reached(ctx, vm.Namespace, pool)
}
