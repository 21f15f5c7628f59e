package options

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/manifests"
)

// ParseOIDC reads a YAML list of OIDC providers.
func ParseOIDC(content []byte) ([]configv1.OIDCProvider, error) {
	return listed[configv1.OIDCProvider](content, "spec.oidcProviders of an Authentication (config.openshift.io/v1)")
}

// ParseIdentityProviders reads a YAML list of identity providers.
func ParseIdentityProviders(content []byte) ([]configv1.IdentityProvider, error) {
	return listed[configv1.IdentityProvider](content, "spec.identityProviders of an OAuth (config.openshift.io/v1)")
}

// ParseImageContentSources reads a YAML list of sources and their mirrors.
func ParseImageContentSources(content []byte) ([]hyperv1.ImageContentSource, error) {
	sources, err := listed[hyperv1.ImageContentSource](content, "source and mirrors")
	if len(sources) > maxSources {
		return nil, fmt.Errorf("has %d sources, at most %d are allowed", len(sources), maxSources)
	}
	for i, s := range sources {
		switch {
		case s.Source == "":
			return nil, fmt.Errorf("entry %d has no source", i+1)
		case len(s.Mirrors) == 0:
			return nil, fmt.Errorf("entry %d, source %s, has no mirrors", i+1, s.Source)
		}
	}
	return sources, err
}

// listed reads a YAML list strictly: a field that the type does not have is an error.
func listed[T any](content []byte, what string) ([]T, error) {
	var out []T
	if err := yaml.UnmarshalStrict(content, &out); err != nil {
		return nil, fmt.Errorf("not a YAML list of %s: %s", what, plainly(err))
	}
	if len(out) == 0 {
		return nil, errors.New("the list is empty")
	}
	return out, nil
}

// documents splits a YAML or JSON stream; empty documents are left out.
func documents(content []byte) ([][]byte, error) {
	r := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content)))
	var out [][]byte
	for {
		doc, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("not YAML: %s", plainly(err))
		}
		var object map[string]any
		if err := yaml.UnmarshalStrict(doc, &object); err != nil {
			return nil, fmt.Errorf("document %d: %s", len(out)+1, plainly(err))
		}
		if len(object) > 0 {
			out = append(out, doc)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("there is no object in it")
	}
	return out, nil
}

// clusterScopedKinds are known not to live in a namespace; of others, the API server says so.
func clusterScopedKinds() []string {
	return []string{
		"Namespace",
		"Node",
		"PersistentVolume",
		"ClusterRole",
		"ClusterRoleBinding",
		"CustomResourceDefinition",
		"StorageClass",
		"VolumeSnapshotClass",
		"PriorityClass",
		"APIService",
		"ManagedCluster",
		"MultiClusterEngine",
		"ClusterImageSet",
		"ValidatingWebhookConfiguration",
		"MutatingWebhookConfiguration",
	}
}

// ParseManifests reads objects for the namespace of the cluster: those of hostedcluster.CompanionKind and of the
// allowed kinds.
func ParseManifests(content []byte, namespace string, allowed []string) ([]*unstructured.Unstructured, error) {
	docs, err := documents(content)
	if err != nil {
		return nil, err
	}
	var out []*unstructured.Unstructured
	for i, doc := range docs {
		u := &unstructured.Unstructured{}
		if err := yaml.UnmarshalStrict(doc, &u.Object); err != nil {
			return nil, fmt.Errorf("document %d: %s", i+1, plainly(err))
		}
		where := fmt.Sprintf("document %d, %s %s", i+1, u.GetKind(), u.GetName())
		switch {
		case u.GetAPIVersion() == "" || u.GetKind() == "":
			return nil, fmt.Errorf("document %d has no apiVersion or no kind", i+1)
		case u.IsList():
			return nil, fmt.Errorf("document %d is a %s; write its items as documents of their own", i+1, u.GetKind())
		case len(validation.IsDNS1123Subdomain(u.GetName())) > 0:
			return nil, fmt.Errorf("document %d, %s, has no name that an object can have", i+1, u.GetKind())
		case slices.Contains(clusterScopedKinds(), u.GetKind()):
			return nil, fmt.Errorf(
				"%s: belongs to the whole management cluster; only objects of the cluster's namespace are taken here",
				where,
			)
		case u.GetNamespace() != "" && u.GetNamespace() != namespace:
			return nil, fmt.Errorf(
				"%s: is for namespace %s, but the cluster's is %s; take the namespace out or use %s", where, u.GetNamespace(),
				namespace, hint.Flag("namespace"),
			)
		}
		if kind := kindOf(u); !hostedcluster.CompanionKind(u.GroupVersionKind().GroupKind(), kube.Text(u, "type")) &&
			!slices.Contains(allowed, kind) {
			return nil, fmt.Errorf("%s: only Secrets and ConfigMaps are taken here; if you have read it and trust it, "+
				"allow the "+
				"kind with %s %s", where, hint.Flag("allow-kind"), kind)
		}
		u.SetNamespace(namespace)
		out = append(out, u)
	}
	return out, nil
}

// kindOf is the kind of an object as --allow-kind names it: with its group, and of an unusual Secret with its type.
func kindOf(u *unstructured.Unstructured) string {
	if gk := u.GroupVersionKind().GroupKind(); gk.String() != "Secret" {
		return gk.String()
	}
	return "Secret/" + kube.Text(u, "type")
}

// plainly is the message of a decoder as one line, without the names of its layers and without values.
func plainly(err error) string {
	s := unknownAnchor.ReplaceAllString(err.Error(), "a value that begins with * has to be quoted")
	for _, layer := range []string{"error unmarshaling JSON: while decoding JSON: ", "error converting YAML to JSON: ",
		"json: ", "yaml: unmarshal errors:\n"} {
		s = strings.ReplaceAll(s, layer, "")
	}
	s = goType.ReplaceAllString(s, "an unexpected $1")
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, "; ")
}

// goType finds where a decoder says which type of Go a value does not fit.
var goType = regexp.MustCompile(`cannot unmarshal (\w+) into Go (?:value|struct field \S+) of type ` +
	`(?:map\[string\]interface \{\}|\S+)`)

// unknownAnchor finds the name of an alias in a message of the YAML decoder: a value that begins with *, unquoted, and
// may be a password.
var unknownAnchor = regexp.MustCompile(`unknown anchor '.*' referenced`)

// parseGuestManifests reads what is to be applied in the hosted cluster itself.
func (o Cluster) parseGuestManifests(v *validated) error {
	var errs []error
	if o.CNI.Given() && o.NetworkType != string(hyperv1.Other) {
		errs = append(errs, Errorf("cni", o.CNI.Path, "only with %s Other: %s brings its own", hint.Flag("network-type"),
			o.NetworkType))
	}
	var wrong error
	v.CNI, wrong = parseManifestFiles("cni", o.CNI)
	errs = append(errs, wrong)
	v.GuestManifests, wrong = parseManifestFiles("guestManifests", o.GuestManifests...)
	errs = append(errs, wrong)
	if twice := v.CNI.Common(v.GuestManifests); twice != "" {
		errs = append(errs, Errorf("guestManifests", "", "%s is among those of %s as well", twice, hint.Flag("cni")))
	}
	return errors.Join(errs...)
}

// parseManifestFiles reads the manifests of the files of one field; none where they have not been read.
func parseManifestFiles(field string, files ...File) (manifests.List, error) {
	var read []manifests.File
	path := ""
	for _, file := range files {
		read, path = append(read, file.Manifests()...), file.Path
	}
	if len(read) == 0 {
		return nil, nil
	}
	list, err := manifests.Parse(read...)
	if err != nil {
		return nil, Errorf(field, path, "%s", plainly(err))
	}
	return list, nil
}
