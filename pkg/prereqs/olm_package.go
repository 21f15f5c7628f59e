package prereqs

import (
	"cmp"
	"context"
	"errors"
	"fmt"

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
	// csv is the version to install: the pinned one, or the newest in the channel.
	csv string
	// pinned means exactly csv is wanted.
	pinned bool
	// namespace is the one its bundle suggests, or the row's.
	namespace string
	// modes are the install modes it supports.
	modes map[string]bool
	// monitored means the bundle asks for the namespace to be watched by cluster monitoring.
	monitored bool
	// minKube is the Kubernetes the newest version in the channel needs, or "".
	minKube string
	// deprecated is what the catalog says against the package or the channel, or "".
	deprecated string
}

// findOffer reads the PackageManifests of the operator and picks catalog, channel and version. It fails with errNotOffered,
// or with an unfitError where what is on offer does not fit.
func findOffer(ctx context.Context, c *kube.Client, op operator) (offer, error) {
	list := kube.PackageManifest.NewList()
	err := c.List(ctx, list, client.InNamespace(marketplace), client.MatchingFields{"metadata.name": op.pkg})
	if err != nil {
		return offer{}, err
	}
	manifest, err := chooseCatalog(list.Items, op)
	if err != nil {
		return offer{}, err
	}
	version, err := openShift(ctx, c)
	if err != nil {
		return offer{}, err
	}
	channel, err := chooseChannel(manifest, op, version)
	if err != nil {
		return offer{}, &unfitError{pkg: op.pkg, catalog: kube.Text(manifest, "status", "catalogSource"), reason: err}
	}
	o := readOffer(manifest, channel, op.namespace)
	if op.pin.StartingCSV != "" {
		o.csv, o.pinned = op.pin.StartingCSV, true
	}
	return o, nil
}

// unfitError says why nothing of what a catalog offers of a package fits.
type unfitError struct {
	pkg, catalog string
	reason       error
}

func (e *unfitError) Error() string {
	return fmt.Sprintf("package %s in catalog %s: %v", e.pkg, e.catalog, e.reason)
}

func (e *unfitError) Unwrap() error { return e.reason }

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
		o.minKube, _, _ = unstructured.NestedString(ch, "currentCSVDesc", "minKubeVersion")
		o.deprecated, _, _ = unstructured.NestedString(ch, "deprecation", "message")
		o.deprecated = cmp.Or(kube.Text(manifest, "status", "deprecation", "message"), o.deprecated)
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
