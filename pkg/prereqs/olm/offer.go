package olm

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// Marketplace is the namespace of the catalogs that serve the whole cluster.
const Marketplace = "openshift-marketplace"

// errNotOffered means that no catalog has the package at present.
var errNotOffered = errors.New("no catalog offers it")

// Offer is the version that would be installed, from which catalog, and how.
type Offer struct {
	catalog, catalogNamespace string
	channel                   string
	// csv is the version to install: the pinned one, or the newest in the channel.
	csv string
	// pinned means that exactly csv is requested.
	pinned bool
	// manual means that a user approves updates.
	manual bool
	// Namespace is suggested by the bundle, or the default of the row.
	Namespace string
	// modes are the install modes that the bundle supports.
	modes map[string]bool
	// monitored means that the bundle requests cluster monitoring for the namespace.
	monitored bool
	// minKube is the minimum Kubernetes version of the newest version in the channel, or "".
	minKube string
	// deprecated is the catalog's deprecation message about the package or the channel, or "".
	deprecated string
}

// FindOffer reads the PackageManifests of the operator and chooses catalog, channel and version. It returns
// errNotOffered, or an unfitError if nothing on offer fits.
func FindOffer(ctx context.Context, r kube.Reader, op Operator) (Offer, error) {
	list := kube.PackageManifest.NewList()
	err := r.List(ctx, list, client.InNamespace(Marketplace), client.MatchingFields{"metadata.name": op.Package})
	if err != nil {
		return Offer{}, err
	}
	manifest, err := chooseCatalog(list.Items, op)
	if err != nil {
		return Offer{}, err
	}
	version, err := prereq.OpenShift(ctx, r)
	if err != nil {
		return Offer{}, err
	}
	channel, err := chooseChannel(manifest, op, version)
	if err != nil {
		return Offer{}, &unfitError{pkg: op.Package, catalog: kube.Text(manifest, "status", "catalogSource"), reason: err}
	}
	o := readOffer(manifest, channel, cmp.Or(op.shared, op.Namespace))
	o.manual = op.Pin.Approval == ApprovalManual
	if op.Pin.StartingCSV != "" {
		o.csv, o.pinned = op.Pin.StartingCSV, true
	}
	return o, nil
}

// unfitError is the reason why nothing that a catalog offers of a package fits.
type unfitError struct {
	pkg, catalog string
	reason       error
}

func (e *unfitError) Error() string {
	return fmt.Sprintf("package %s in catalog %s: %v", e.pkg, e.catalog, e.reason)
}

func (e *unfitError) Unwrap() error { return e.reason }

// readOffer reads one channel of a PackageManifest.
func readOffer(manifest *unstructured.Unstructured, channel, namespace string) Offer {
	o := Offer{
		catalog:          kube.Text(manifest, "status", "catalogSource"),
		catalogNamespace: cmp.Or(kube.Text(manifest, "status", "catalogSourceNamespace"), Marketplace),
		channel:          channel,
		Namespace:        namespace,
		modes:            map[string]bool{},
	}
	for _, ch := range kube.Maps(manifest, "status", "channels") {
		if prereq.Text(ch, "name") != channel {
			continue
		}
		o.csv = prereq.Text(ch, "currentCSV")
		o.minKube, _, _ = unstructured.NestedString(ch, "currentCSVDesc", "minKubeVersion")
		o.deprecated, _, _ = unstructured.NestedString(ch, "deprecation", "message")
		o.deprecated = cmp.Or(kube.Text(manifest, "status", "deprecation", "message"), o.deprecated)
		annotations, _, _ := unstructured.NestedStringMap(ch, "currentCSVDesc", "annotations")
		o.Namespace = cmp.Or(annotations["operatorframework.io/suggested-namespace"], namespace)
		o.monitored = annotations["operatorframework.io/cluster-monitoring"] == "true"
		modes, _, _ := unstructured.NestedSlice(ch, "currentCSVDesc", "installModes")
		for _, mode := range modes {
			if m, ok := mode.(map[string]any); ok {
				o.modes[prereq.Text(m, "type")], _ = m["supported"].(bool)
			}
		}
	}
	return o
}
