package probe

import (
	"context"
	"fmt"
	"strings"

	configv1 "github.com/openshift/api/config/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/imageref"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/step"
)

const (
	configNamespace = "openshift-config"
	pullSecretName  = "pull-secret"
	// maxPulled is the maximum number of release images that are tested.
	maxPulled = 8
)

func pull() Probe {
	return Probe{
		ID: "probe/pull", Title: "release image", Name: Pull,
		Rights: []access.Rule{
			{Verbs: "get", Resources: "clusterversions.config.openshift.io", Names: "version",
				Why: "the release image, where no other is named"},
			{Verbs: "get", Resources: "secrets", Names: pullSecretName, At: access.In(configNamespace),
				Why: "the pull secret, a copy of which is in the probe's namespace while it runs"},
			{Verbs: "create", Resources: "secrets configmaps", Why: "the copy of the pull secret; mirrors and certificates"},
			{Verbs: "list watch", Resources: "configmaps", Names: trustName, Why: "whether the certificates are there"},
			{Verbs: "get", Resources: "proxies.config.openshift.io", Names: "cluster", Why: "the way out, and what it trusts"},
			{Verbs: "get", Resources: "images.config.openshift.io", Names: "cluster",
				Why: "which certificates of registries are trusted"},
			{Verbs: "get", Resources: "configmaps", At: access.In(configNamespace), Unwatched: true,
				Why: "these certificates, under any name"},
			{Verbs: "list", Resources: "imagedigestmirrorsets.config.openshift.io imagetagmirrorsets.config.openshift.io " +
				"imagecontentsourcepolicies.operator.openshift.io", Why: "the mirrors"},
			{Verbs: "get", Resources: "operatorhubs.config.openshift.io", Names: "cluster",
				Why: "whether the cluster is disconnected"},
		},
		Run: func(ctx context.Context, s *session) step.Finding { return s.tryPull(ctx) },
	}
}

// tryPull reads the manifests of release images in a pod, with the same settings as HyperShift's operator.
func (s *session) tryPull(ctx context.Context) step.Finding {
	pulls, f := s.pulls(ctx)
	if f != nil {
		return *f
	}
	image, f := s.image(ctx)
	if f != nil {
		return *f
	}
	settings, f := s.pullSettings(ctx)
	if f != nil {
		return *f
	}
	var read []string
	for i, p := range pulls {
		object := "release image " + short(p.Image)
		if !imageref.Valid(p.Image) {
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
		pod := s.pod(fmt.Sprintf("pull-%d", i), image, pullScript(p.Image, settings.mirrored))
		settings.equip(pod, secret.Name)
		if _, found := s.runPod(ctx, pod); found.State != step.StateOK {
			return unread(found, settings).On("%s", object)
		}
		read = append(read, short(p.Image))
	}
	return step.OK("the manifest of %s can be read inside the cluster, %s", strings.Join(read, ", "), settings)
}

// unread returns the finding about a manifest that could not be read.
func unread(f step.Finding, settings pullSettings) step.Finding {
	if f.State != step.StateBroken {
		return f
	}
	f.Message = "its manifest cannot be read inside the cluster, " + settings.String() + ": " + f.Message
	if f.Hint.IsZero() {
		f.Hint = hint.Run("check").Flag("only", "cluster/pull-secret,cluster/mirrors,cluster/proxy").Text()
	}
	return f
}

// pulls returns the release images with their pull secrets, by default the management cluster's own.
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
