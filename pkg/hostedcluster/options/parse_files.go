package options

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/document"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/manifests"
)

// ParseOIDC reads a YAML list of OIDC providers.
func ParseOIDC(content []byte) ([]configv1.OIDCProvider, error) {
	return decodeList[configv1.OIDCProvider](content, "spec.oidcProviders of an Authentication (config.openshift.io/v1)")
}

// ParseIdentityProviders reads a YAML list of identity providers.
func ParseIdentityProviders(content []byte) ([]configv1.IdentityProvider, error) {
	return decodeList[configv1.IdentityProvider](content, "spec.identityProviders of an OAuth (config.openshift.io/v1)")
}

// decodeList reads a YAML list strictly: an unknown field is an error.
func decodeList[T any](content []byte, what string) ([]T, error) {
	doc, err := document.One(content, "a YAML list of "+what)
	if err != nil {
		return nil, err
	}
	var out []T
	if err := doc.Decode(&out); err != nil {
		return nil, fmt.Errorf("not a YAML list of %s: %w", what, err)
	}
	if len(out) == 0 {
		return nil, errors.New("the list is empty")
	}
	return out, nil
}

// clusterScopedKinds are well-known cluster-scoped kinds. For other kinds the API server reports it.
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

// ParseManifests reads objects for the cluster's namespace. Accepted are hostedcluster.CompanionKind and the allowed
// kinds.
func ParseManifests(content []byte, namespace string, allowed []string) ([]*unstructured.Unstructured, error) {
	docs, err := document.Read(content)
	if err != nil {
		return nil, err
	}
	var out []*unstructured.Unstructured
	for _, doc := range docs {
		objects, err := doc.Objects()
		if err != nil {
			return nil, err
		}
		for _, o := range objects {
			u := &unstructured.Unstructured{Object: o.Fields}
			if err := checkManifest(u, namespace, allowed); err != nil {
				return nil, fmt.Errorf("line %d, %s: %w", o.Line, strings.TrimSpace(u.GetKind()+" "+u.GetName()), err)
			}
			u.SetNamespace(namespace)
			out = append(out, u)
		}
	}
	return out, nil
}

// checkManifest returns an error if an object is not accepted for the cluster's namespace.
func checkManifest(u *unstructured.Unstructured, namespace string, allowed []string) error {
	kind := kindOf(u)
	switch {
	case len(validation.IsDNS1123Subdomain(u.GetName())) > 0:
		return errors.New("has no name that an object can have")
	case slices.Contains(clusterScopedKinds(), u.GetKind()):
		return errors.New("belongs to the whole management cluster; only objects of the cluster's namespace are taken here")
	case u.GetNamespace() != "" && u.GetNamespace() != namespace:
		return fmt.Errorf("is for namespace %s, but the cluster's is %s; take the namespace out or use %s",
			u.GetNamespace(), namespace, hint.Flag("namespace"))
	case !hostedcluster.CompanionKind(u.GroupVersionKind().GroupKind(), kube.Text(u, "type")) &&
		!slices.Contains(allowed, kind):
		return fmt.Errorf("only Secrets and ConfigMaps are taken here; if you have read it and trust it, allow the kind "+
			"with %s %s", hint.Flag("allow-kind"), kind)
	}
	return nil
}

// kindOf returns the kind of an object as --allow-kind names it: with its group, and for a Secret of an unusual type
// with that type.
func kindOf(u *unstructured.Unstructured) string {
	if gk := u.GroupVersionKind().GroupKind(); gk.String() != "Secret" {
		return gk.String()
	}
	return "Secret/" + kube.Text(u, "type")
}

// parseGuestManifests reads the manifests that are applied in the hosted cluster itself.
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

// parseManifestFiles reads the manifests in the files of one field. It returns nil if the files have not been read.
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
		return nil, Errorf(field, path, "%v", err)
	}
	return list, nil
}
