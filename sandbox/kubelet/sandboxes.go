package kubelet

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/operator"
)

const (
	// networksAnnotation names the NetworkAttachmentDefinitions of a pod besides the cluster's network.
	networksAnnotation = "k8s.v1.cni.cncf.io/networks"
	// retryDelay is the time between two attempts to start a pod, at speed 1.
	retryDelay = 15 * time.Second
)

// networkKind is the kind of NetworkAttachmentDefinitions.
var networkKind = schema.GroupVersionKind{Group: "k8s.cni.cncf.io", Version: "v1", Kind: "NetworkAttachmentDefinition"}

// multusConfig is the ConfigMap with the settings of multus' daemon.
var multusConfig = client.ObjectKey{Namespace: "openshift-multus", Name: "multus-daemon-config"}

// isolation says whether a pod may only use networks of its own namespace, and of the global ones.
type isolation struct {
	Isolated bool   `json:"namespaceIsolation"`
	Global   string `json:"globalNamespaces"`
}

// isolation reads multus' settings; without any, namespaces are not isolated.
func (k *kubelet) isolation(ctx context.Context) (isolation, error) {
	var settings isolation
	config := &corev1.ConfigMap{}
	switch err := k.live.Get(ctx, multusConfig, config); {
	case apierrors.IsNotFound(err):
		return settings, nil
	case err != nil:
		return settings, fmt.Errorf("read ConfigMap %s: %w", multusConfig, err)
	}
	return settings, json.Unmarshal([]byte(config.Data["daemon-config.json"]), &settings)
}

// allows reports whether pods of one namespace may use networks of another.
func (i isolation) allows(pods, networks string) bool {
	return !i.Isolated || pods == networks || slices.Contains(strings.Split(i.Global, ","), networks)
}

// startable reports whether the volumes and networks of a pod are there. If not, it tells of it as the controllers and
// plug-ins that prepare them do.
func (k *kubelet) startable(ctx context.Context, pod *corev1.Pod) (bool, error) {
	if volume, users, err := k.attachedElsewhere(ctx, pod); err != nil || volume != "" {
		if err == nil {
			err = operator.Warn(ctx, k.live, pod, "attachdetach-controller", "FailedAttachVolume",
				msgMultiAttach(volume, users))
		}
		return false, err
	}
	if volume, path := unwritable(pod); volume != "" {
		return false, operator.Warn(ctx, k.live, pod, "kubelet", "FailedMount",
			fmt.Sprintf("MountVolume.SetUp failed for volume %q : mkdir %s: read-only file system", volume, path))
	}
	why, err := k.networkMissing(ctx, pod)
	if err != nil || why == "" {
		return err == nil, err
	}
	return false, operator.Warn(ctx, k.live, pod, "kubelet", "FailedCreatePodSandBox", msgNoSandbox(pod, why))
}

// attachedElsewhere returns a volume of the pod that only one node can use, and its pods on another node.
func (k *kubelet) attachedElsewhere(ctx context.Context, pod *corev1.Pod) (volume string, users []string, err error) {
	for _, v := range pod.Spec.Volumes {
		if v.PersistentVolumeClaim == nil {
			continue
		}
		claim := &corev1.PersistentVolumeClaim{}
		key := client.ObjectKey{Namespace: pod.Namespace, Name: v.PersistentVolumeClaim.ClaimName}
		switch err := k.live.Get(ctx, key, claim); {
		case apierrors.IsNotFound(err):
			continue
		case err != nil:
			return "", nil, fmt.Errorf("read the claim of pod %s/%s: %w", pod.Namespace, pod.Name, err)
		}
		if slices.Contains(claim.Spec.AccessModes, corev1.ReadWriteMany) ||
			slices.Contains(claim.Spec.AccessModes, corev1.ReadOnlyMany) {
			continue
		}
		pods := &corev1.PodList{}
		if err := k.client.List(ctx, pods, client.InNamespace(pod.Namespace)); err != nil {
			return "", nil, fmt.Errorf("list pods in %s: %w", pod.Namespace, err)
		}
		for i := range pods.Items {
			if other := &pods.Items[i]; other.UID != pod.UID && other.Spec.NodeName != pod.Spec.NodeName &&
				other.Status.Phase == corev1.PodRunning && mounts(other, claim.Name) {
				users = append(users, other.Name)
			}
		}
		if len(users) > 0 {
			return claim.Spec.VolumeName, users, nil
		}
	}
	return "", nil, nil
}

// unwritable returns a volume whose directory the kubelet would have to make where Red Hat CoreOS lets nobody write,
// and the directory. The words are Go's for a read-only file system.
func unwritable(pod *corev1.Pod) (volume, path string) {
	writable := []string{"var", "etc", "home", "mnt", "opt", "root", "run", "srv", "tmp"}
	for _, v := range pod.Spec.Volumes {
		if v.HostPath == nil || ptr.Deref(v.HostPath.Type, "") != corev1.HostPathDirectoryOrCreate {
			continue
		}
		top, _, _ := strings.Cut(strings.TrimPrefix(v.HostPath.Path, "/"), "/")
		if !slices.Contains(writable, top) {
			return v.Name, "/" + top
		}
	}
	return "", ""
}

func mounts(pod *corev1.Pod, claim string) bool {
	return slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool {
		return v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ClaimName == claim
	})
}

// networkMissing returns multus' words about a network that the pod cannot have, or "".
func (k *kubelet) networkMissing(ctx context.Context, pod *corev1.Pod) (string, error) {
	var networks []struct{ Name, Namespace string }
	text := pod.Annotations[networksAnnotation]
	if text == "" {
		return "", nil
	}
	if json.Unmarshal([]byte(text), &networks) != nil {
		for _, name := range strings.Split(text, ",") {
			namespace, name, found := strings.Cut(strings.TrimSpace(name), "/")
			if !found {
				namespace, name = pod.Namespace, namespace
			}
			networks = append(networks, struct{ Name, Namespace string }{name, namespace})
		}
	}
	settings, err := k.isolation(ctx)
	if err != nil {
		return "", err
	}
	for _, n := range networks {
		if n.Namespace == "" {
			n.Namespace = pod.Namespace
		}
		if !settings.allows(pod.Namespace, n.Namespace) {
			return msgIsolated(pod.Namespace, n.Namespace), nil
		}
		network := &metav1.PartialObjectMetadata{}
		network.SetGroupVersionKind(networkKind)
		err := k.live.Get(ctx, client.ObjectKey{Namespace: n.Namespace, Name: n.Name}, network)
		if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
			return msgNetworkNotFound(n.Namespace, n.Name), nil
		}
		if err != nil {
			return "", fmt.Errorf("read a network of pod %s/%s: %w", pod.Namespace, pod.Name, err)
		}
	}
	return "", nil
}

// Source: Kubernetes' attach-detach controller.
func msgMultiAttach(volume string, users []string) string {
	return fmt.Sprintf("Multi-Attach error for volume %q Volume is already used by pod(s) %s", volume,
		strings.Join(users, ", "))
}

// Source: multus.
func msgNetworkNotFound(namespace, name string) string {
	return fmt.Sprintf("getKubernetesDelegate: cannot find a network-attachment-definition (%s) in namespace (%s): "+
		"network-attachment-definitions.k8s.cni.cncf.io %q not found", name, namespace, name)
}

func msgIsolated(namespace, other string) string {
	return fmt.Sprintf("GetNetworkDelegates: namespace isolation enabled, annotation violates permission, pod is in "+
		"namespace %s but refers to target namespace %s", namespace, other)
}

func msgNoSandbox(pod *corev1.Pod, why string) string {
	id := fmt.Sprintf("%s/%s/%s", pod.Namespace, pod.Name, pod.UID)
	return fmt.Sprintf("Failed to create pod sandbox: rpc error: code = Unknown desc = failed to create pod network "+
		"sandbox k8s_%s_%s_%s_0: error adding pod %s_%s to CNI network \"multus-cni-network\": plugin "+
		"type=\"multus-shim\" name=\"multus-cni-network\" failed (add): CmdAdd (shim): CNI request failed with status "+
		"400: 'ERRORED: error configuring pod [%s/%s] networking: Multus: [%s]: error loading k8s delegates k8s args: "+
		"TryLoadPodDelegates: error in getting k8s network for pod: %s'", pod.Name, pod.Namespace, pod.UID,
		pod.Namespace, pod.Name, pod.Namespace, pod.Name, id, why)
}
