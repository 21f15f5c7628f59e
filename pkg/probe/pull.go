package probe

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	configv1 "github.com/openshift/api/config/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs"
	"github.com/hcctl/hcctl/pkg/rbac/rule"
	"github.com/hcctl/hcctl/pkg/step"
)

const (
	configNamespace = "openshift-config"
	pullSecretName  = "pull-secret"
	// trustLabel asks the network operator to fill a ConfigMap with the certificates that the cluster trusts, those of
	// Proxy.spec.trustedCA included (cluster-network-operator, controller configmap_ca_injector).
	trustLabel = "config.openshift.io/inject-trusted-cabundle"
	trustKey   = "ca-bundle.crt"
	trustName  = "trusted-ca"
	// maxPulled bounds how many release images are asked for.
	maxPulled = 8
)

// imageName is the form of an image reference, which goes into a script.
var imageName = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9._:/@-]{0,511}$`)

func pull() Probe {
	return Probe{
		ID: "probe/pull", Title: "release image", Name: Pull,
		Rights: []rule.Rule{
			{Verbs: "get", Resources: "clusterversions.config.openshift.io", Names: "version",
				Why: "the release image, where no other is named"},
			{Verbs: "get", Resources: "secrets", Names: pullSecretName, At: rule.In(configNamespace),
				Why: "the pull secret, a copy of which is in the probe's namespace while it runs"},
			{Verbs: "create", Resources: "secrets configmaps", Why: "the copy of the pull secret; mirrors and certificates"},
			{Verbs: "list watch", Resources: "configmaps", Names: trustName, Why: "whether the certificates are there"},
			{Verbs: "get", Resources: "proxies.config.openshift.io", Names: "cluster", Why: "the way out, and what it trusts"},
			{Verbs: "list", Resources: "imagedigestmirrorsets.config.openshift.io imagetagmirrorsets.config.openshift.io " +
				"imagecontentsourcepolicies.operator.openshift.io", Why: "the mirrors"},
			{Verbs: "get", Resources: "operatorhubs.config.openshift.io", Names: "cluster",
				Why: "whether the cluster is disconnected"},
		},
		Run: func(ctx context.Context, s *session) step.Finding { return s.tryPull(ctx) },
	}
}

// tryPull reads the manifests of release images in a pod, by the way that HyperShift's operator goes.
func (s *session) tryPull(ctx context.Context) step.Finding {
	pulls, f := s.pulls(ctx)
	if f != nil {
		return *f
	}
	image, f := s.image(ctx)
	if f != nil {
		return *f
	}
	around, f := s.surroundings(ctx)
	if f != nil {
		return *f
	}
	var read []string
	for i, p := range pulls {
		object := "release image " + short(p.Image)
		if !imageName.MatchString(p.Image) {
			return step.Broken("it is not the name of an image").On("%s", object)
		}
		secret := &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: fmt.Sprintf("pull-secret-%d", i)},
			Type:       corev1.SecretTypeDockerConfigJson,
			Data:       map[string][]byte{corev1.DockerConfigJsonKey: p.Secret}, Immutable: ptr.To(true),
		}
		if err := s.create(ctx, secret); err != nil {
			return failure(err).On("the copy of the pull secret")
		}
		pod := s.pod(fmt.Sprintf("pull-%d", i), image, pullScript(p.Image, around.mirrored))
		around.equip(pod, secret.Name)
		if _, found := s.runPod(ctx, pod); found.State != step.StateOK {
			return unread(found, around).On("%s", object)
		}
		read = append(read, short(p.Image))
	}
	return step.OK("the manifest of %s can be read inside the cluster, %s", strings.Join(read, ", "), around)
}

// unread is the finding of a manifest that could not be read.
func unread(f step.Finding, around surroundings) step.Finding {
	if f.State != step.StateBroken {
		return f
	}
	f.Message = "its manifest cannot be read inside the cluster, " + around.String() + ": " + f.Message
	if f.Hint == "" {
		f.Hint = "hcctl check --only cluster/pull-secret,cluster/mirrors,cluster/proxy"
	}
	return f
}

// pulls are the release images with their pull secrets; the management cluster's own if none are named.
func (s *session) pulls(ctx context.Context) ([]Pulled, *step.Finding) {
	if pulls := s.options.Pulls; len(pulls) > 0 {
		return pulls[:min(len(pulls), maxPulled)], nil
	}
	version := &configv1.ClusterVersion{}
	if err := s.client.Get(ctx, types.NamespacedName{Name: "version"}, version); err != nil {
		f := failure(err).On("ClusterVersion version")
		return nil, &f
	}
	secret := &corev1.Secret{}
	key := types.NamespacedName{Namespace: configNamespace, Name: pullSecretName}
	if err := s.client.Get(ctx, key, secret); err != nil {
		f := failure(err).On("Secret %s", key)
		if apierrors.IsNotFound(err) {
			f = step.Broken("there is no pull secret").On("Secret %s", key)
		}
		return nil, &f
	}
	return []Pulled{{Image: version.Status.Desired.Image, Secret: secret.Data[corev1.DockerConfigJsonKey]}}, nil
}

// surroundings are what a pull goes by beside the pull secret.
type surroundings struct {
	// mirrored tells that there is a ConfigMap of mirrors, and trusted that there is one of certificates.
	mirrored, trusted bool
	// proxied are the variables of the proxy, whose values are in a Secret: they may have a password.
	proxied []string
}

// String says what a pull went by.
func (a surroundings) String() string {
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
	return strings.Join(parts, ", ")
}

const (
	proxySecret = "proxy"
	mirrorsName = "mirrors"
	pullPath    = "/pull"
	mirrorsPath = "/mirrors"
	trustPath   = "/etc/pki/ca-trust/extracted/pem"
)

// surroundings writes the mirrors, the proxy and the certificates of the cluster into the namespace.
func (s *session) surroundings(ctx context.Context) (surroundings, *step.Finding) {
	var out surroundings
	mirrors, err := prereqs.Mirrors(ctx, s.client)
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
	if len(mirrors) > 0 {
		files, err := mirrorFiles(mirrors)
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

// proxyValues are the variables by which programs find the proxy: what the cluster itself goes by.
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

// equip gives a pod the pull secret, the mirrors, the proxy and the certificates.
func (a surroundings) equip(pod *corev1.Pod, secret string) {
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
	for _, name := range a.proxied {
		pod.Spec.Containers[0].Env = append(pod.Spec.Containers[0].Env, corev1.EnvVar{Name: name,
			ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: named(proxySecret),
				Key: name}}})
	}
}

// mirrorFiles are the mirrors in both forms that releases of oc read.
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

// pullScript reads the manifest of an image with oc, for the machine's own architecture.
func pullScript(image string, mirrored bool) string {
	mirrors := ""
	if mirrored {
		mirrors = fmt.Sprintf(`
if oc image info --help | grep -q -- --idms-file; then
  mirrors=--idms-file=%[1]s/idms.yaml
else
  mirrors=--icsp-file=%[1]s/icsp.yaml
fi`, mirrorsPath)
	}
	return fmt.Sprintf(`set -e
case $(uname -m) in x86_64) arch=amd64;; aarch64) arch=arm64;; *) arch=$(uname -m);; esac
mirrors=%[1]s
oc image info --registry-config=%[2]s/%[3]s --filter-by-os=linux/$arch $mirrors %[4]s >/dev/null`,
		mirrors, pullPath, corev1.DockerConfigJsonKey, image)
}
