package probe

import (
	"context"
	"encoding/pem"
	"maps"
	"slices"
	"strings"

	configv1 "github.com/openshift/api/config/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

const (
	pullPath    = "/pull"
	mirrorsName = "mirrors"
	mirrorsPath = "/mirrors"
	proxySecret = "proxy"

	// trustLabel makes the network operator fill a ConfigMap with the certificates that the cluster trusts, including
	// those of Proxy.spec.trustedCA (cluster-network-operator, controller configmap_ca_injector).
	trustLabel = "config.openshift.io/inject-trusted-cabundle"
	trustKey   = "ca-bundle.crt"
	trustName  = "trusted-ca"
	trustPath  = "/etc/pki/ca-trust/extracted/pem"

	// registryTrustName names the ConfigMap with the certificates of registries.
	registryTrustName = "registry-ca"
	registryTrustPath = "/registry-ca"
)

// certificateDirectories returns where Go programs such as oc look for certificates besides the bundle in trustPath.
// SSL_CERT_DIR replaces these directories (crypto/x509), so it has to contain them.
func certificateDirectories() []string { return []string{"/etc/ssl/certs", "/etc/pki/tls/certs"} }

// pullSettings are the settings of a pull besides the pull secret.
type pullSettings struct {
	// mirrored means that there is a ConfigMap of mirrors; trusted and certified mean that there is one with the
	// certificates of the proxy and of registries.
	mirrored, trusted, certified bool
	// proxied are the environment variables of the proxy. Their values are in a Secret, because they may contain a
	// password.
	proxied []string
}

// String describes the settings.
func (a pullSettings) String() string {
	parts := []string{"with the pull secret"}
	if a.mirrored {
		parts = append(parts, "the mirrors")
	}
	if len(a.proxied) > 0 {
		parts = append(parts, "the proxy")
	}
	if a.trusted {
		parts = append(parts, "the proxy's trustedCA")
	}
	if a.certified {
		parts = append(parts, "the registries' additionalTrustedCA")
	}
	return strings.Join(parts, ", ")
}

// pullSettings writes the mirrors, the proxy and the certificates of the cluster into the namespace.
func (s *session) pullSettings(ctx context.Context) (pullSettings, *step.Finding) {
	var out pullSettings
	disconnection, err := prereq.ReadDisconnection(ctx, s.client)
	if err != nil {
		f := failure(err).On("the mirrors")
		return out, &f
	}
	proxy := &configv1.Proxy{}
	err = s.client.Get(ctx, types.NamespacedName{Name: "cluster"}, proxy)
	if err != nil && !apierrors.IsNotFound(err) {
		f := failure(err).On("Proxy cluster")
		return out, &f
	}
	var objects []client.Object
	if len(disconnection.Mirrors) > 0 {
		files, err := mirrorFiles(disconnection.Mirrors)
		if err != nil {
			f := unknown("%v", err).On("the mirrors")
			return out, &f
		}
		out.mirrored = true
		objects = append(objects, &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: mirrorsName}, Data: files})
	}
	if values := proxyValues(proxy); len(values) > 0 {
		for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"} {
			if values[name] != "" {
				out.proxied = append(out.proxied, name)
			}
		}
		objects = append(objects, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: proxySecret}, StringData: values})
	}
	if proxy.Spec.TrustedCA.Name != "" {
		out.trusted = true
		objects = append(objects, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: trustName,
			Labels: map[string]string{trustLabel: "true"}}})
	}
	certificates, f := s.registryCertificates(ctx)
	if f != nil {
		return out, f
	}
	if certificates != "" {
		out.certified = true
		objects = append(objects, &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: registryTrustName},
			Data:       map[string]string{trustKey: certificates}})
	}
	for _, o := range objects {
		if err := s.create(ctx, o); err != nil {
			f := failure(err).On("%s", kube.Name(o))
			return out, &f
		}
	}
	if out.trusted {
		return out, s.awaitTrust(ctx)
	}
	return out, nil
}

// proxyValues returns the environment variables of the proxy that the cluster itself uses.
func proxyValues(proxy *configv1.Proxy) map[string]string {
	if proxy.Status.HTTPProxy == "" && proxy.Status.HTTPSProxy == "" {
		return nil
	}
	return map[string]string{"HTTP_PROXY": proxy.Status.HTTPProxy, "HTTPS_PROXY": proxy.Status.HTTPSProxy,
		"NO_PROXY": proxy.Status.NoProxy}
}

// awaitTrust waits until the network operator has filled in the certificates.
func (s *session) awaitTrust(ctx context.Context) *step.Finding {
	f := s.await(ctx, func(ctx context.Context, r kube.Reader) step.Finding {
		now := &corev1.ConfigMap{}
		if err := r.Get(ctx, types.NamespacedName{Namespace: s.namespace, Name: trustName}, now); err != nil {
			return kube.Unknown(err)
		}
		if now.Data[trustKey] == "" {
			return step.Pending("the network operator does not fill in ConfigMaps with label %s", trustLabel).
				WithHint("oc get clusteroperator network")
		}
		return step.OK("")
	})
	if f.State == step.StateOK {
		return nil
	}
	f = f.On("Proxy cluster")
	return &f
}

// registryCertificates returns the certificates of Image.config's additionalTrustedCA. HyperShift's operator trusts all
// of them for any registry, besides those of the proxy (hypershift-operator/init.go).
func (s *session) registryCertificates(ctx context.Context) (string, *step.Finding) {
	image := &configv1.Image{}
	err := s.client.Get(ctx, types.NamespacedName{Name: "cluster"}, image)
	switch {
	case apierrors.IsNotFound(err), err == nil && image.Spec.AdditionalTrustedCA.Name == "":
		return "", nil
	case err != nil:
		f := failure(err).On("Image cluster")
		return "", &f
	}
	key := types.NamespacedName{Namespace: configNamespace, Name: image.Spec.AdditionalTrustedCA.Name}
	registries := &corev1.ConfigMap{}
	if err := s.client.Get(ctx, key, registries); err != nil {
		f := failure(err).On("ConfigMap %s", key)
		if apierrors.IsNotFound(err) {
			f = step.Broken("spec.additionalTrustedCA names ConfigMap %s, which does not exist, so HyperShift's operator "+
				"does not start", key).On("Image cluster").WithHint("%s", hint.Run("check").Flag("only", "cluster/mirrors"))
		}
		return "", &f
	}
	return certificatesOf(registries.Data), nil
}

// certificatesOf returns the certificates in the values of a ConfigMap, without any other content.
func certificatesOf(data map[string]string) string {
	var out strings.Builder
	for _, registry := range slices.Sorted(maps.Keys(data)) {
		for block, rest := pem.Decode([]byte(data[registry])); block != nil; block, rest = pem.Decode(rest) {
			if block.Type == "CERTIFICATE" {
				out.Write(pem.EncodeToMemory(&pem.Block{Type: block.Type, Bytes: block.Bytes}))
			}
		}
	}
	return out.String()
}

// equip mounts the pull secret, the mirrors, the proxy and the certificates into a pod.
func (a pullSettings) equip(pod *corev1.Pod, secret string) {
	mount(pod, "pull", pullPath, corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: secret}})
	named := func(name string) corev1.LocalObjectReference { return corev1.LocalObjectReference{Name: name} }
	if a.mirrored {
		mount(pod, mirrorsName, mirrorsPath, corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: named(mirrorsName)}})
	}
	if a.trusted {
		mount(pod, trustName, trustPath, corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: named(trustName), Items: []corev1.KeyToPath{{Key: trustKey, Path: "tls-ca-bundle.pem"}}}})
	}
	if a.certified {
		mount(pod, registryTrustName, registryTrustPath, corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: named(registryTrustName)}})
		pod.Spec.Containers[0].Env = append(pod.Spec.Containers[0].Env, corev1.EnvVar{Name: "SSL_CERT_DIR",
			Value: strings.Join(append(certificateDirectories(), registryTrustPath), ":")})
	}
	for _, name := range a.proxied {
		pod.Spec.Containers[0].Env = append(pod.Spec.Containers[0].Env, corev1.EnvVar{Name: name,
			ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: named(proxySecret),
				Key: name}}})
	}
}

// mirrorFiles returns the mirrors in both formats that releases of oc read.
func mirrorFiles(mirrors map[string][]string) (map[string]string, error) {
	type entry struct {
		Source  string   `json:"source"`
		Mirrors []string `json:"mirrors"`
	}
	var list []entry
	for _, source := range slices.Sorted(maps.Keys(mirrors)) {
		list = append(list, entry{source, mirrors[source]})
	}
	form := func(version, kind, field string) (string, error) {
		data, err := yaml.Marshal(map[string]any{"apiVersion": version, "kind": kind,
			"metadata": map[string]any{"name": "probe"}, "spec": map[string]any{field: list}})
		return string(data), err
	}
	idms, err := form("config.openshift.io/v1", "ImageDigestMirrorSet", "imageDigestMirrors")
	if err != nil {
		return nil, err
	}
	icsp, err := form("operator.openshift.io/v1alpha1", "ImageContentSourcePolicy", "repositoryDigestMirrors")
	return map[string]string{"idms.yaml": idms, "icsp.yaml": icsp}, err
}
