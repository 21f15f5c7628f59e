package kubelet

import (
	"context"
	"fmt"
	"net"
	"path"
	"strings"

	"golang.org/x/crypto/ssh"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/sshd"
)

// sshServer is OpenSSH's server, as images have it.
const sshServer = "/usr/sbin/sshd"

// runsSSH reports whether a pod is an SSH server.
func runsSSH(pod *corev1.Pod) bool {
	return len(pod.Spec.Containers) == 1 && len(pod.Spec.Containers[0].Command) == 1 &&
		pod.Spec.Containers[0].Command[0] == sshServer
}

// sshPod plays the SSH server of a pod: with the settings of its arguments and the files that its volumes have.
type sshPod struct {
	client client.Reader
	pod    *corev1.Pod
}

// options are the -o arguments of the server.
func (p sshPod) options() map[string]string {
	out := map[string]string{}
	args := p.pod.Spec.Containers[0].Args
	for i := 0; i+1 < len(args); i++ {
		if name, value, ok := strings.Cut(args[i+1], "="); ok && args[i] == "-o" {
			out[name] = value
		}
	}
	return out
}

// file is what a mounted file has: the key of a Secret.
func (p sshPod) file(ctx context.Context, name string) ([]byte, error) {
	for _, mount := range p.pod.Spec.Containers[0].VolumeMounts {
		if mount.MountPath != path.Dir(name) {
			continue
		}
		for _, volume := range p.pod.Spec.Volumes {
			if volume.Name != mount.Name || volume.Secret == nil {
				continue
			}
			secret := &corev1.Secret{}
			key := client.ObjectKey{Namespace: p.pod.Namespace, Name: volume.Secret.SecretName}
			if err := p.client.Get(ctx, key, secret); err != nil {
				return nil, fmt.Errorf("read Secret %s: %w", key, err)
			}
			return secret.Data[path.Base(name)], nil
		}
	}
	return nil, fmt.Errorf("no volume has %s", name)
}

// serve serves one connection.
func (p sshPod) serve(ctx context.Context, conn net.Conn) {
	options := p.options()
	private, err := p.file(ctx, options["HostKey"])
	if err != nil {
		_ = conn.Close()
		return
	}
	key, err := ssh.ParsePrivateKey(private)
	authorized, missing := p.file(ctx, options["AuthorizedKeysFile"])
	if err != nil || missing != nil {
		_ = conn.Close()
		return
	}
	s := sshd.Server{HostKey: key, User: options["AllowUsers"], AuthorizedKeys: authorized}
	if forwards := options["AllowTcpForwarding"]; forwards == "local" || forwards == "yes" {
		s.Forward = p.forward
	}
	s.Serve(ctx, conn)
}

// forward connects to a worker VM by the address of its pod, or to a hosted API server by the name of its Service, as
// far as the policies of the pod let it out.
func (p sshPod) forward(ctx context.Context, host string, port int) (net.Conn, error) {
	if namespace, ok := strings.CutPrefix(host, "kube-apiserver."); ok {
		return p.apiServer(ctx, strings.TrimSuffix(namespace, ".svc"), port)
	}
	pods := &corev1.PodList{}
	if err := p.client.List(ctx, pods, client.MatchingLabels{"kubevirt.io": "virt-launcher"}); err != nil {
		return nil, err
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if pod.Status.PodIP != host {
			continue
		}
		if out, err := p.letsOut(ctx, pod, port); err != nil || !out || port != 22 {
			break
		}
		owner := metav1.GetControllerOf(pod)
		if owner == nil {
			break
		}
		return sshd.Machine(ctx, p.client, pod.Namespace, owner.Name, owner.UID)
	}
	return nil, sshd.Refused(host, port)
}

// apiServer connects to a hosted API server, as far as the policies of the pod let it out.
func (p sshPod) apiServer(ctx context.Context, namespace string, port int) (net.Conn, error) {
	pods := &corev1.PodList{}
	err := p.client.List(ctx, pods, client.InNamespace(namespace), client.MatchingLabels{"app": apiServer})
	if err != nil {
		return nil, err
	}
	for i := range pods.Items {
		if out, err := p.letsOut(ctx, &pods.Items[i], port); err != nil || !out {
			return nil, sshd.Refused(apiServer, port)
		}
	}
	if len(pods.Items) == 0 {
		return nil, sshd.Refused(apiServer, port)
	}
	return dialAPIServer(ctx, p.client, namespace, port)
}

// letsOut reports whether the NetworkPolicies of the pod let it connect to another one (TCP, by selectors).
func (p sshPod) letsOut(ctx context.Context, to *corev1.Pod, port int) (bool, error) {
	policies, namespace := &networkingv1.NetworkPolicyList{}, &corev1.Namespace{}
	if err := p.client.List(ctx, policies, client.InNamespace(p.pod.Namespace)); err != nil {
		return false, err
	}
	if err := p.client.Get(ctx, client.ObjectKey{Name: to.Namespace}, namespace); err != nil {
		return false, err
	}
	isolated := false
	for i := range policies.Items {
		policy := &policies.Items[i]
		if len(policy.Spec.Egress) == 0 || !selects(&policy.Spec.PodSelector, p.pod.Labels) {
			continue
		}
		isolated = true
		for _, rule := range policy.Spec.Egress {
			if !onPort(rule.Ports, port) {
				continue
			}
			for _, peer := range rule.To {
				if peer.NamespaceSelector != nil && selects(peer.NamespaceSelector, namespace.Labels) &&
					(peer.PodSelector == nil || selects(peer.PodSelector, to.Labels)) {
					return true, nil
				}
			}
		}
	}
	return !isolated, nil
}

func selects(selector *metav1.LabelSelector, of map[string]string) bool {
	s, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil && s.Matches(labels.Set(of))
}

func onPort(ports []networkingv1.NetworkPolicyPort, port int) bool {
	for _, p := range ports {
		if p.Port != nil && p.Port.IntValue() == port && (p.Protocol == nil || *p.Protocol == corev1.ProtocolTCP) {
			return true
		}
	}
	return len(ports) == 0
}
