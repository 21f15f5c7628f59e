package prereqs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/kube"
)

// marketplace is the namespace of the catalogs that serve the whole cluster.
const marketplace = "openshift-marketplace"

// errNotOffered means no catalog has the package (now).
var errNotOffered = errors.New("no catalog offers it")

// offer is what would be installed, from which catalog, and how.
type offer struct {
	catalog, catalogNamespace string
	channel                   string
	// csv is the newest version in the channel.
	csv string
	// namespace is the one its bundle suggests, or the row's.
	namespace string
	// modes are the install modes it supports.
	modes map[string]bool
	// monitored means the bundle asks for the namespace to be watched by cluster monitoring.
	monitored bool
}

// findOffer reads the PackageManifests of the operator and picks catalog and channel. It fails with errNotOffered, or says
// why no channel fits.
func findOffer(ctx context.Context, c *kube.Client, op operator) (offer, error) {
	list := kube.PackageManifest.NewList()
	err := c.List(ctx, list, client.InNamespace(marketplace), client.MatchingFields{"metadata.name": op.pkg})
	if err != nil {
		return offer{}, err
	}
	manifest := bestCatalog(list.Items, op.pkg)
	if manifest == nil {
		return offer{}, errNotOffered
	}
	version, err := openShift(ctx, c)
	if err != nil {
		return offer{}, err
	}
	channels := kube.Maps(manifest, "status", "channels")
	names := make([]string, 0, len(channels))
	for _, ch := range channels {
		names = append(names, text(ch, "name"))
	}
	channel, err := op.channel(kube.Text(manifest, "status", "defaultChannel"), names, version)
	if err != nil {
		return offer{}, &channelError{pkg: op.pkg, catalog: kube.Text(manifest, "status", "catalogSource"), reason: err}
	}
	return readOffer(manifest, channel, op.namespace), nil
}

// channelError says why no channel of a package fits.
type channelError struct {
	pkg, catalog string
	reason       error
}

func (e *channelError) Error() string {
	return fmt.Sprintf("package %s in catalog %s: %v", e.pkg, e.catalog, e.reason)
}

func (e *channelError) Unwrap() error { return e.reason }

// readOffer takes what the manifest says of one channel.
func readOffer(manifest *unstructured.Unstructured, channel, namespace string) offer {
	o := offer{
		catalog:          kube.Text(manifest, "status", "catalogSource"),
		catalogNamespace: cmp.Or(kube.Text(manifest, "status", "catalogSourceNamespace"), marketplace),
		channel:          channel,
		namespace:        namespace,
		modes:            map[string]bool{},
	}
	for _, ch := range kube.Maps(manifest, "status", "channels") {
		if text(ch, "name") != channel {
			continue
		}
		o.csv = text(ch, "currentCSV")
		annotations, _, _ := unstructured.NestedStringMap(ch, "currentCSVDesc", "annotations")
		o.namespace = cmp.Or(annotations["operatorframework.io/suggested-namespace"], namespace)
		o.monitored = annotations["operatorframework.io/cluster-monitoring"] == "true"
		modes, _, _ := unstructured.NestedSlice(ch, "currentCSVDesc", "installModes")
		for _, mode := range modes {
			if m, ok := mode.(map[string]any); ok {
				o.modes[text(m, "type")], _ = m["supported"].(bool)
			}
		}
	}
	return o
}

// bestCatalog picks among catalogs that offer the same package: Red Hat's own, a mirror of it (oc-mirror calls it
// cs-redhat-operator-index-...), any other, the community's last. Nil means none offers it.
func bestCatalog(manifests []unstructured.Unstructured, pkg string) *unstructured.Unstructured {
	rank := func(u *unstructured.Unstructured) int {
		switch catalog := kube.Text(u, "status", "catalogSource"); {
		case catalog == "redhat-operators":
			return 0
		case strings.Contains(catalog, "redhat-operator"):
			return 1
		case catalog == "community-operators":
			return 3
		default:
			return 2
		}
	}
	var found []*unstructured.Unstructured
	for i := range manifests {
		if kube.Text(&manifests[i], "status", "packageName") == pkg {
			found = append(found, &manifests[i])
		}
	}
	if len(found) == 0 {
		return nil
	}
	return slices.MinFunc(found, func(a, b *unstructured.Unstructured) int {
		return cmp.Or(rank(a)-rank(b), strings.Compare(kube.Text(a, "status", "catalogSource"), kube.Text(b, "status", "catalogSource")))
	})
}

func text(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}
