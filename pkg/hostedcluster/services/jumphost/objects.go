package jumphost

import (
	"fmt"
	"net/netip"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services/internal/service"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// User is the only user that can log in.
const User = "jump"

const (
	// podPort is the port of sshd in the pod, which may not use port 22.
	podPort = 2222
	// The directories of the keys in the pod.
	hostKeyDirectory = "/etc/jump-host/host-key"
	keysDirectory    = "/etc/jump-host/keys"
	// plainUser runs sshd if the namespace has no range of user IDs.
	plainUser = 1000
)

// Ports of other servers.
const (
	sshPort = 22
	// apiServerPort is the port of the hosted API server's pods, however it is published (HyperShift v0.1.81,
	// support/config, KASSVCPort).
	apiServerPort = 6443
	dnsPort       = 53
	// openShiftDNSPort is the port of the pods of OpenShift's DNS. Their Service has port 53.
	openShiftDNSPort = 5353
)

// settings is the input of the objects other than the options.
type settings struct {
	user    int64
	hostKey string
	keys    []byte
	pool    string
}

// refs lists the objects, in the order of their removal.
func refs() []service.Ref {
	return []service.Ref{
		service.RefTo("apps", "v1", "Deployment", "deployments", name), service.RefTo("", "v1", "Service", "services", name),
		service.RefTo("networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies", name),
		service.RefTo("", "v1", "ConfigMap", "configmaps", name), service.RefTo("", "v1", "Secret", "secrets", keysSecret),
		service.RefTo("", "v1", "Secret", "secrets", hostKeySecret),
	}
}

// objects returns the objects of the jump host, except its host key.
func objects(t service.Tenant, s settings) []client.Object {
	keys := &corev1.Secret{Type: corev1.SecretTypeOpaque, Data: map[string][]byte{"authorized_keys": s.keys}}
	keys.TypeMeta, keys.ObjectMeta = service.Meta("Secret", "v1", keysSecret)
	// sshd looks up its user, which the image does not have.
	files := &corev1.ConfigMap{Data: map[string]string{
		"passwd":  fmt.Sprintf("%s:x:%d:0:jump host:/tmp:/bin/sh\n", User, s.user),
		publicKey: s.hostKey,
	}}
	files.TypeMeta, files.ObjectMeta = service.Meta("ConfigMap", "v1", name)
	return []client.Object{keys, files, policy(t), balancer(t, s), deployment(t, s)}
}

func balancer(t service.Tenant, s settings) *corev1.Service {
	j := t.Options.TenantServices.JumpHost
	return service.Balancer(name, j.Address, s.pool, corev1.ServicePort{Name: "ssh", Protocol: corev1.ProtocolTCP,
		Port: j.Port, TargetPort: intstr.FromInt32(podPort)})
}

// sshd returns the arguments of the server. It allows only the forwarding of ssh -J and -L.
func sshd() []string {
	args := []string{"-D", "-e", "-f", "/dev/null"}
	for _, option := range []string{
		fmt.Sprintf("Port=%d", podPort), "HostKey=" + hostKeyDirectory + "/" + privateKey,
		"AuthorizedKeysFile=" + keysDirectory + "/authorized_keys", "AllowUsers=" + User,
		"PasswordAuthentication=no", "KbdInteractiveAuthentication=no", "AuthenticationMethods=publickey",
		// The files of the Secret belong to root and are readable for the group.
		"StrictModes=no", "PidFile=none",
		"AllowTcpForwarding=local", "AllowStreamLocalForwarding=no", "AllowAgentForwarding=no", "X11Forwarding=no",
		"PermitTunnel=no", "PermitTTY=no", "PermitUserRC=no", "GatewayPorts=no", "ForceCommand=/bin/false",
		"LoginGraceTime=30", "ClientAliveInterval=60",
	} {
		args = append(args, "-o", option)
	}
	return args
}

func deployment(t service.Tenant, s settings) *appsv1.Deployment {
	j := t.Options.TenantServices.JumpHost
	pod := corev1.PodSpec{
		AutomountServiceAccountToken: ptr.To(false), EnableServiceLinks: ptr.To(false),
		SecurityContext: &corev1.PodSecurityContext{RunAsNonRoot: ptr.To(true), RunAsUser: ptr.To(s.user),
			FSGroup: ptr.To(s.user), SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}},
		Containers: []corev1.Container{{
			Name: "sshd", Image: j.Image, Command: []string{"/usr/sbin/sshd"}, Args: sshd(),
			Ports: []corev1.ContainerPort{{Name: "ssh", ContainerPort: podPort, Protocol: corev1.ProtocolTCP}},
			Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceCPU: j.CPU, corev1.ResourceMemory: j.Memory},
				Limits:   corev1.ResourceList{corev1.ResourceMemory: j.Memory},
			},
			ReadinessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{
				TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(podPort)}}},
			SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: ptr.To(false),
				ReadOnlyRootFilesystem: ptr.To(true), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}},
			VolumeMounts: []corev1.VolumeMount{
				{Name: "host-key", MountPath: hostKeyDirectory, ReadOnly: true},
				{Name: "keys", MountPath: keysDirectory, ReadOnly: true},
				{Name: "files", MountPath: "/etc/passwd", SubPath: "passwd", ReadOnly: true},
				{Name: "tmp", MountPath: "/tmp"},
			},
		}},
		Volumes: []corev1.Volume{
			service.SecretVolume("host-key", hostKeySecret), service.SecretVolume("keys", keysSecret),
			{Name: "files", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
				LocalObjectReference: corev1.LocalObjectReference{Name: name}}}},
			{Name: "tmp", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{
				SizeLimit: ptr.To(resource.MustParse("16Mi"))}}},
		},
	}
	d := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{
		Replicas: ptr.To[int32](1), Selector: &metav1.LabelSelector{MatchLabels: service.Selector(name)},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: service.Selector(name)}, Spec: pod},
	}}
	d.TypeMeta, d.ObjectMeta = service.Meta("Deployment", "apps/v1", name)
	return d
}

// policy allows SSH in, and out only SSH to the tenant's nodes, its API server, and the cluster's DNS. HyperShift's own
// policies of the control plane's namespace allow both from everywhere: those of virt-launcher and kas (v0.1.70 to
// v0.1.81, hostedcluster/network_policies.go).
func policy(t service.Tenant) *networkingv1.NetworkPolicy {
	in := func(namespace string) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: namespace}}
	}
	ports := func(protocol corev1.Protocol, numbers ...int32) []networkingv1.NetworkPolicyPort {
		var out []networkingv1.NetworkPolicyPort
		for _, number := range numbers {
			out = append(out, networkingv1.NetworkPolicyPort{Protocol: ptr.To(protocol), Port: ptr.To(intstr.FromInt32(number))})
		}
		return out
	}
	controlPlane := in(hostedcluster.ControlPlaneNamespace(t.Cluster.Namespace, t.Cluster.Name))
	egress := []networkingv1.NetworkPolicyEgressRule{
		{
			To: []networkingv1.NetworkPolicyPeer{{NamespaceSelector: controlPlane, PodSelector: &metav1.LabelSelector{
				MatchLabels: map[string]string{"kubevirt.io": "virt-launcher", infraIDLabel: t.Cluster.Spec.InfraID}}}},
			Ports: ports(corev1.ProtocolTCP, sshPort),
		},
		{
			To: []networkingv1.NetworkPolicyPeer{{NamespaceSelector: controlPlane, PodSelector: &metav1.LabelSelector{
				MatchLabels: map[string]string{"app": "kube-apiserver"}}}},
			Ports: ports(corev1.ProtocolTCP, apiServerPort),
		},
		{
			To: []networkingv1.NetworkPolicyPeer{{NamespaceSelector: in("openshift-dns")},
				{NamespaceSelector: in("kube-system")}},
			Ports: append(ports(corev1.ProtocolUDP, dnsPort, openShiftDNSPort),
				ports(corev1.ProtocolTCP, dnsPort, openShiftDNSPort)...),
		},
	}
	endpoint := t.Cluster.Status.ControlPlaneEndpoint
	if at, err := netip.ParseAddr(endpoint.Host); err == nil && endpoint.Port > 0 {
		egress = append(egress, networkingv1.NetworkPolicyEgressRule{
			To: []networkingv1.NetworkPolicyPeer{{IPBlock: &networkingv1.IPBlock{
				CIDR: netip.PrefixFrom(at, at.BitLen()).String()}}},
			Ports: ports(corev1.ProtocolTCP, endpoint.Port),
		})
	}
	p := &networkingv1.NetworkPolicy{Spec: networkingv1.NetworkPolicySpec{
		PodSelector: metav1.LabelSelector{MatchLabels: service.Selector(name)},
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
		Ingress:     []networkingv1.NetworkPolicyIngressRule{{Ports: ports(corev1.ProtocolTCP, podPort)}},
		Egress:      egress,
	}}
	p.TypeMeta, p.ObjectMeta = service.Meta("NetworkPolicy", "networking.k8s.io/v1", name)
	return p
}
