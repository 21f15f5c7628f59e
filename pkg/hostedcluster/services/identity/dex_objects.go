package identity

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/dex"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services/internal/service"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// The names of Dex's objects. dexName is the name of the Deployment, the Service and the configuration's Secret.
const (
	dexName  = "dex"
	tlsName  = "dex-tls"
	keysName = "dex-keys"
)

// The paths in Dex's pod, as in Dex's example for Kubernetes (examples/k8s/dex.yaml).
const (
	dexPort         = 5556
	configDirectory = "/etc/dex/cfg"
	configFile      = "config.yaml"
	tlsDirectory    = "/etc/dex/tls"
	dexProgram      = "/usr/local/bin/dex"
	// dexUser is the user of Dex's image.
	dexUser = 1001
)

// contentAnnotation is the annotation of Dex's pods with a digest of the files that they read at the start.
const contentAnnotation = "hcctl.dev/dex-content"

// refs lists Dex's objects, in the order of their removal.
func refs() []service.Ref {
	return []service.Ref{
		service.RefTo("apps", "v1", "Deployment", "deployments", dexName),
		service.RefTo("", "v1", "Service", "services", dexName), service.RefTo("", "v1", "Secret", "secrets", dexName),
		service.RefTo("", "v1", "Secret", "secrets", tlsName), service.RefTo("", "v1", "Secret", "secrets", keysName),
	}
}

// settings is the input of Dex's objects other than the options.
type settings struct {
	user         int64
	pool         string
	config       []byte
	cert, key    []byte
	needsSession bool
}

// dexClients returns the cluster's clients at Dex. The finding is Pending while the redirect URI is unknown.
func dexClients(t service.Tenant, secret string) ([]dex.Client, *step.Finding) {
	i := t.Options.TenantServices.Identity
	back, f := redirectURI(t, i)
	if f != nil {
		return nil, f
	}
	out := []dex.Client{{ID: i.ConsoleClient, Name: "OpenShift " + t.Cluster.Name, Secret: secret,
		RedirectURIs: []string{back}}}
	if i.CLIClient != "" {
		out = append(out, dex.Client{ID: i.CLIClient, Name: "oc and kubectl for " + t.Cluster.Name})
	}
	return out, nil
}

// redirectURI returns the URL to which a browser is sent after a login: the web console, with the path in the vendor's
// documentation of direct authentication, or the hosted cluster's OAuth server, with the URL that HyperShift publishes.
func redirectURI(t service.Tenant, i *options.ValidatedIdentity) (string, *step.Finding) {
	if i.Type == options.IdentityOIDC {
		console := hostedcluster.ConsoleURL(t.Cluster)
		if console == "" {
			f := step.Pending("has no base domain yet, so the address of its web console is not known").
				On("HostedCluster %s", kube.Name(t.Cluster))
			return "", &f
		}
		return console + "/auth/callback", nil
	}
	const provider = "[identity-provider-name]"
	template := t.Cluster.Status.OAuthCallbackURLTemplate
	back := strings.ReplaceAll(template, provider, i.Name)
	u, err := url.Parse(back)
	var f step.Finding
	switch {
	case template == "":
		f = step.Pending("its OAuth server has no address yet (status.oauthCallbackURLTemplate)")
	case err != nil || u.Scheme != "https" || u.Host == "" || !strings.Contains(template, provider):
		f = step.Broken("its status.oauthCallbackURLTemplate is no URL that Dex could send a browser to")
	default:
		return back, nil
	}
	f = f.On("HostedCluster %s", kube.Name(t.Cluster))
	return "", &f
}

// certificate returns Dex's serving certificate: that of the Secret in the options, or one that hcctl's authority
// signs.
func certificate(ctx context.Context, t service.Tenant, r kube.Reader, k keys) (cert, key []byte, f *step.Finding) {
	d := t.Options.TenantServices.Dex
	if d.TLSSecret != "" {
		given, f := givenCertificate(ctx, t, r)
		if f != nil {
			return nil, nil, f
		}
		return given.Data[corev1.TLSCertKey], given.Data[corev1.TLSPrivateKeyKey], nil
	}
	have := &corev1.Secret{}
	at := client.ObjectKey{Namespace: t.Namespace(), Name: tlsName}
	now := t.Client.Now()
	switch err := r.Get(ctx, at, have); {
	case err == nil && owned(t, have) &&
		k.usable(have.Data[corev1.TLSCertKey], have.Data[corev1.TLSPrivateKeyKey], d.Config.Host(), now):
		return have.Data[corev1.TLSCertKey], have.Data[corev1.TLSPrivateKeyKey], nil
	case err != nil && !apierrors.IsNotFound(err):
		f := kube.Unknown(err).On("Secret %s", at)
		return nil, nil, &f
	}
	cert, key, err := k.issue(d.Config.Host(), now)
	if err != nil {
		f := step.Broken("%v", err).On("Secret %s", at)
		return nil, nil, &f
	}
	return cert, key, nil
}

// givenCertificate reads the Secret in the options with Dex's certificate.
func givenCertificate(ctx context.Context, t service.Tenant, r kube.Reader) (*corev1.Secret, *step.Finding) {
	d := t.Options.TenantServices.Dex
	at := client.ObjectKey{Namespace: t.Cluster.Namespace, Name: d.TLSSecret}
	s := &corev1.Secret{}
	absent := step.Broken("does not exist").
		WithHint("oc create secret tls %s -n %s --cert FILE --key FILE", at.Name, at.Namespace)
	return s, service.Look(ctx, r, "Secret", at, s, absent, func() *step.Finding {
		err := serves(s, d.Config.Host(), t.Client.Now())
		if err == nil {
			return nil
		}
		f := step.Broken("%v", err)
		return &f
	})
}

// dexObjects returns Dex's objects, except its keys.
func dexObjects(t service.Tenant, s settings) []client.Object {
	config := &corev1.Secret{Type: corev1.SecretTypeOpaque, Data: map[string][]byte{configFile: s.config}}
	config.TypeMeta, config.ObjectMeta = service.Meta("Secret", "v1", dexName)
	pair := &corev1.Secret{Type: corev1.SecretTypeTLS, Data: map[string][]byte{
		corev1.TLSCertKey: s.cert, corev1.TLSPrivateKeyKey: s.key}}
	pair.TypeMeta, pair.ObjectMeta = service.Meta("Secret", "v1", tlsName)
	return []client.Object{config, pair, dexService(t, s), dexDeployment(t, s)}
}

func dexService(t service.Tenant, s settings) *corev1.Service {
	d := t.Options.TenantServices.Dex
	return service.Balancer(dexName, d.Address, s.pool, corev1.ServicePort{Name: "https", Protocol: corev1.ProtocolTCP,
		Port: d.Config.Port(), TargetPort: intstr.FromInt32(dexPort)})
}

func dexDeployment(t service.Tenant, s settings) *appsv1.Deployment {
	d := t.Options.TenantServices.Dex
	digest := sha256.New()
	for _, part := range [][]byte{s.config, s.cert, s.key} {
		digest.Write(part)
	}
	container := corev1.Container{
		Name: dexName, Image: d.Image, Command: []string{dexProgram},
		Args:  []string{"serve", configDirectory + "/" + configFile},
		Ports: []corev1.ContainerPort{{Name: "https", ContainerPort: dexPort, Protocol: corev1.ProtocolTCP}},
		Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("50m"), corev1.ResourceMemory: resource.MustParse("64Mi")}},
		ReadinessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{
			Path: d.Config.Path() + "/healthz", Port: intstr.FromInt32(dexPort), Scheme: corev1.URISchemeHTTPS}}},
		SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: ptr.To(false),
			Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}},
		VolumeMounts: []corev1.VolumeMount{{Name: "config", MountPath: configDirectory, ReadOnly: true},
			{Name: "tls", MountPath: tlsDirectory, ReadOnly: true}},
		Env: []corev1.EnvVar{{Name: dex.StrictFields, Value: "true"}},
		// If Dex refuses its configuration, the error is then in the pod's status, which oc describe pod prints.
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
	}
	if s.needsSession {
		container.Env = append(container.Env, corev1.EnvVar{Name: "DEX_SESSIONS_ENABLED", Value: "true"})
	}
	out := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{
		Replicas: ptr.To[int32](1), Selector: &metav1.LabelSelector{MatchLabels: service.Selector(dexName)},
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: service.Selector(dexName),
				Annotations: map[string]string{contentAnnotation: hex.EncodeToString(digest.Sum(nil))}},
			Spec: corev1.PodSpec{
				AutomountServiceAccountToken: ptr.To(false), EnableServiceLinks: ptr.To(false),
				SecurityContext: &corev1.PodSecurityContext{RunAsNonRoot: ptr.To(true), RunAsUser: ptr.To(s.user),
					FSGroup:        ptr.To(s.user),
					SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}},
				Containers: []corev1.Container{container},
				Volumes:    []corev1.Volume{service.SecretVolume("config", dexName), service.SecretVolume("tls", tlsName)},
			},
		},
	}}
	out.TypeMeta, out.ObjectMeta = service.Meta("Deployment", "apps/v1", dexName)
	out.Annotations = map[string]string{}
	if v, err := health.ParseCertificates(s.cert); err == nil {
		out.Annotations[hostedcluster.CertificateUntilAnnotation] = v.Until.Format(time.RFC3339)
	}
	if d.TLSSecret != "" {
		out.Annotations[hostedcluster.CertificateFromAnnotation] = d.TLSSecret
	}
	return out
}

// listen is the address at which Dex listens in its pod.
func listen() string { return fmt.Sprintf("0.0.0.0:%d", dexPort) }
