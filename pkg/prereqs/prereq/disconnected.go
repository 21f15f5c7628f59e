package prereq

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
)

// Disconnection is how a cluster gets its images and catalogs if not from where they come from.
type Disconnection struct {
	// CatalogsOff means none of the default catalogs is on.
	CatalogsOff bool
	// Mirrors are the places that stand for a source, by source: a registry, a repository or the beginning of one, or
	// "*.example.com".
	Mirrors map[string][]string
	// Proxy means the cluster reaches out through a proxy.
	Proxy bool
	// Changed is when a mirror set was last written, as far as it says.
	Changed time.Time
}

// Disconnected reports whether the cluster's default catalogs are off: what it can install is what was mirrored.
func Disconnected(ctx context.Context, r kube.Reader) (bool, error) {
	hub := &configv1.OperatorHub{}
	err := r.Get(ctx, types.NamespacedName{Name: "cluster"}, hub)
	if apierrors.IsNotFound(err) {
		// A cluster without the marketplace has no default catalogs to be off.
		return false, nil
	}
	return err == nil && catalogsOff(hub), err
}

// CatalogsOff reads spec.disableAllDefaultSources, from which spec.sources makes exceptions.
func catalogsOff(hub *configv1.OperatorHub) bool {
	if !hub.Spec.DisableAllDefaultSources {
		return false
	}
	for _, s := range hub.Spec.Sources {
		if !s.Disabled {
			return false
		}
	}
	return true
}

// ReadDisconnection reads from where a cluster gets images in place of the registries on the internet.
func ReadDisconnection(ctx context.Context, r kube.Reader) (Disconnection, error) {
	off, err := Disconnected(ctx, r)
	if err != nil {
		return Disconnection{}, err
	}
	d := Disconnection{CatalogsOff: off}
	if d.Mirrors, d.Changed, err = mirrorSets(ctx, r); err != nil {
		return d, err
	}
	proxy := &configv1.Proxy{}
	if err = r.Get(ctx, types.NamespacedName{Name: "cluster"}, proxy); err != nil && !apierrors.IsNotFound(err) {
		return d, err
	}
	d.Proxy = proxy.Status.HTTPSProxy != "" || proxy.Status.HTTPProxy != ""
	return d, nil
}

// WrittenLast is when somebody last wrote an object, apart from its status: as far as its managed fields say.
func WrittenLast(o metav1.Object) time.Time {
	last := o.GetCreationTimestamp().Time
	for _, f := range o.GetManagedFields() {
		if f.Time != nil && f.Subresource == "" && f.Time.After(last) {
			last = f.Time.Time
		}
	}
	return last
}

// mirrorSets reads all three kinds, and when one of them was last written: ImageContentSourcePolicy is the only one
// before OpenShift 4.13.
func mirrorSets(ctx context.Context, r kube.Reader) (out map[string][]string, last time.Time, err error) {
	out = map[string][]string{}
	written := func(o metav1.Object) {
		if t := WrittenLast(o); t.After(last) {
			last = t
		}
	}
	byDigest := &configv1.ImageDigestMirrorSetList{}
	if err := r.List(ctx, byDigest); err != nil && !kube.IsKindMissing(err) {
		return nil, last, err
	}
	for _, set := range byDigest.Items {
		written(&set)
		for _, m := range set.Spec.ImageDigestMirrors {
			for _, mirror := range m.Mirrors {
				out[m.Source] = append(out[m.Source], string(mirror))
			}
		}
	}
	byTag := &configv1.ImageTagMirrorSetList{}
	if err := r.List(ctx, byTag); err != nil && !kube.IsKindMissing(err) {
		return nil, last, err
	}
	for _, set := range byTag.Items {
		written(&set)
		for _, m := range set.Spec.ImageTagMirrors {
			for _, mirror := range m.Mirrors {
				out[m.Source] = append(out[m.Source], string(mirror))
			}
		}
	}
	policies := kube.ImageContentSourcePolicy.NewList()
	if err := r.List(ctx, policies); err != nil && !kube.IsKindMissing(err) {
		return nil, last, err
	}
	for i := range policies.Items {
		written(&policies.Items[i])
		for _, m := range kube.Maps(&policies.Items[i], "spec", "repositoryDigestMirrors") {
			list, _ := m["mirrors"].([]any)
			for _, mirror := range list {
				if s, ok := mirror.(string); ok {
					out[Text(m, "source")] = append(out[Text(m, "source")], s)
				}
			}
		}
	}
	return out, last, nil
}

// MirrorsOf are the mirrors of a repository or registry: those of every source that is it, or that it is within, a
// source before the sources that it is within.
func (d Disconnection) MirrorsOf(repository string) []string {
	var out []string
	for _, source := range slices.Backward(slices.Sorted(maps.Keys(d.Mirrors))) {
		domain, wildcard := strings.CutPrefix(source, "*")
		if repository == source || strings.HasPrefix(repository, source+"/") || wildcard &&
			strings.HasSuffix(RegistryOf(repository), domain) {
			out = append(out, d.Mirrors[source]...)
		}
	}
	return out
}

// RegistryOf is the host, and the port if any, of a repository or of a key in a docker config.
func RegistryOf(repository string) string {
	repository = strings.TrimPrefix(strings.TrimPrefix(repository, "https://"), "http://")
	host, _, _ := strings.Cut(repository, "/")
	return host
}

// Hosts are the registries that have the releases, sorted.
func (d Disconnection) Hosts() []string {
	var out []string
	for _, repository := range ReleaseRepositories() {
		for _, m := range d.MirrorsOf(repository) {
			out = append(out, RegistryOf(m))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// ReleaseRepositories are what a release is made of: its payload, and the images it names.
func ReleaseRepositories() []string {
	return []string{"quay.io/openshift-release-dev/ocp-release", "quay.io/openshift-release-dev/ocp-v4.0-art-dev"}
}
