package registry

import (
	"archive/tar"
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
	imagev1 "github.com/openshift/api/image/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	payloadRepository   = "openshift-release-dev/ocp-release"
	componentRepository = "openshift-release-dev/ocp-v4.0-art-dev"
	// versionsAnnotation names the versions of a component in image-references.
	versionsAnnotation = "io.openshift.build.versions"
)

// components are the names of the images in a payload: those of a published image-references, and those that the
// control-plane-operator of v0.1.70 asks for.
//
//go:embed components.txt
var components string

// operatorLabels are the labels of the image hypershift, from its Dockerfile.control-plane (v0.1.70). The
// hypershift-operator decides by them what a release's control-plane-operator can do.
var operatorLabels = []string{
	"io.openshift.release.operator",
	"io.openshift.hypershift.control-plane-operator-subcommands",
	"io.openshift.hypershift.control-plane-operator-skips-haproxy",
	"io.openshift.hypershift.ignition-server-healthz-handler",
	"io.openshift.hypershift.control-plane-operator-manages-ignition-server",
	"io.openshift.hypershift.control-plane-operator-manages.cluster-machine-approver",
	"io.openshift.hypershift.control-plane-operator-manages.cluster-autoscaler",
	"io.openshift.hypershift.control-plane-operator-manages.decompress-decode-config",
	"io.openshift.hypershift.control-plane-operator-creates-aws-sg",
	"io.openshift.hypershift.control-plane-operator-applies-management-kas-network-policy-label",
	"io.openshift.hypershift.restricted-psa",
	"io.openshift.hypershift.control-plane-pki-operator-signs-csrs",
	"io.openshift.hypershift.hosted-cluster-config-operator-reports-node-count",
	"io.openshift.hypershift.control-plane-operator-supports-kas-custom-kubeconfig",
	"io.openshift.hypershift.control-plane-operator.v2-isdefault",
}

// architectures are Go's names of the architectures in a multi payload.
var architectures = []string{"amd64", "arm64", "ppc64le", "s390x"}

// addRelease makes the payload of a release and its components, and adds them to the store.
func (s *store) addRelease(r releaseTag) error {
	names := strings.Fields(components)
	references := make(map[string]string, len(names))
	for _, name := range names {
		labels := map[string]string{"io.openshift.build.name": name, "version": r.version}
		if name == "hypershift" {
			for _, l := range operatorLabels {
				labels[l] = "true"
			}
		}
		img, err := newImage(r.goArch(), labels, nil)
		if err != nil {
			return err
		}
		digest, err := s.addImage(img)
		if err != nil {
			return err
		}
		references[name] = Host + "/" + componentRepository + "@" + digest
	}
	files, err := payloadFiles(r, names, references)
	if err != nil {
		return err
	}
	if r.suffix != "multi" {
		img, err := payloadImage(r, r.goArch(), files)
		if err != nil {
			return err
		}
		return s.tag(payloadRepository, r.tag, img)
	}
	index := mutate.IndexMediaType(empty.Index, types.DockerManifestList)
	for _, arch := range architectures {
		img, err := payloadImage(r, arch, files)
		if err != nil {
			return err
		}
		if _, err := s.addImage(img); err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{
			Platform: &v1.Platform{OS: "linux", Architecture: arch}}})
	}
	return s.tag(payloadRepository, r.tag, index)
}

func payloadImage(r releaseTag, arch string, files map[string][]byte) (v1.Image, error) {
	return newImage(arch, map[string]string{"io.openshift.release": r.version}, files)
}

// payloadFiles returns the files of a payload that the operators read.
func payloadFiles(r releaseTag, names []string, references map[string]string) (map[string][]byte, error) {
	stream := imagev1.ImageStream{
		TypeMeta:   metav1.TypeMeta{Kind: "ImageStream", APIVersion: imagev1.GroupVersion.String()},
		ObjectMeta: metav1.ObjectMeta{Name: r.version},
	}
	for _, name := range names {
		tag := imagev1.TagReference{Name: name, From: &corev1.ObjectReference{Kind: "DockerImage", Name: references[name]}}
		switch name {
		case "hyperkube":
			tag.Annotations = map[string]string{versionsAnnotation: "kubernetes=" + r.kubernetes()}
		case "machine-os-content", "rhel-coreos":
			tag.Annotations = map[string]string{versionsAnnotation: "machine-os=" + r.bootRelease()}
		}
		stream.Spec.Tags = append(stream.Spec.Tags, tag)
	}
	list, err := json.Marshal(stream)
	if err != nil {
		return nil, fmt.Errorf("write image-references: %w", err)
	}
	boot, err := bootImages(r, references["machine-os-content"])
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		"release-manifests/image-references":                         list,
		"release-manifests/0000_50_installer_coreos-bootimages.yaml": boot,
	}, nil
}

// bootImages returns the ConfigMap with the disk images of the machines.
func bootImages(r releaseTag, image string) ([]byte, error) {
	disk := map[string]any{"images": map[string]any{"kubevirt": map[string]string{
		"release": r.bootRelease(), "image": image, "digest-ref": image,
	}}}
	byArch := map[string]any{}
	for _, arch := range []string{"x86_64", "aarch64", "s390x", "ppc64le"} {
		byArch[arch] = disk
	}
	stream, err := json.Marshal(map[string]any{"stream": "rhcos-" + r.minor(), "architectures": byArch})
	if err != nil {
		return nil, fmt.Errorf("write boot images: %w", err)
	}
	return json.Marshal(corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{Kind: "ConfigMap", APIVersion: "v1"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "openshift-machine-config-operator", Name: "coreos-bootimages"},
		Data:       map[string]string{"releaseVersion": r.version, "stream": string(stream)},
	})
}

// newImage makes an image with labels and files.
func newImage(arch string, labels map[string]string, files map[string][]byte) (v1.Image, error) {
	img := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.DockerManifestSchema2), types.DockerConfigJSON)
	img, err := mutate.ConfigFile(img, &v1.ConfigFile{
		OS: "linux", Architecture: arch, Config: v1.Config{Labels: maps.Clone(labels)},
		RootFS: v1.RootFS{Type: "layers"},
	})
	if err != nil {
		return nil, fmt.Errorf("make image: %w", err)
	}
	layer, err := tarOf(files)
	if err != nil {
		return nil, err
	}
	img, err = mutate.AppendLayers(img, static.NewLayer(layer, types.DockerUncompressedLayer))
	if err != nil {
		return nil, fmt.Errorf("make image: %w", err)
	}
	return img, nil
}

func tarOf(files map[string][]byte) ([]byte, error) {
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, name := range sortedKeys(files) {
		if err := w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o444,
			Size: int64(len(files[name]))}); err != nil {
			return nil, fmt.Errorf("write layer: %w", err)
		}
		if _, err := w.Write(files[name]); err != nil {
			return nil, fmt.Errorf("write layer: %w", err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("write layer: %w", err)
	}
	return buf.Bytes(), nil
}
