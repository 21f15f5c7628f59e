package olm

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// chooseCatalog picks among catalogs that offer the same package: the pinned one; else Red Hat's own, a mirror of it
// (oc-mirror calls it cs-redhat-operator-index-...), any other, the community's last. It fails with errNotOffered.
func chooseCatalog(manifests []unstructured.Unstructured, op Operator) (*unstructured.Unstructured, error) {
	var found []*unstructured.Unstructured
	var catalogs []string
	for i := range manifests {
		if kube.Text(&manifests[i], "status", "packageName") != op.Package {
			continue
		}
		name := kube.Text(&manifests[i], "status", "catalogSource")
		if op.Pin.CatalogSource == "" || op.Pin.CatalogSource == name {
			found = append(found, &manifests[i])
		}
		catalogs = append(catalogs, name)
	}
	if len(found) == 0 && len(catalogs) > 0 {
		return nil, &unfitError{pkg: op.Package, catalog: op.Pin.CatalogSource,
			reason: fmt.Errorf("it does not offer the package; these do: %s", prereq.Listed(catalogs))}
	}
	if len(found) == 0 {
		return nil, errNotOffered
	}
	return slices.MinFunc(found, func(a, b *unstructured.Unstructured) int {
		x, y := kube.Text(a, "status", "catalogSource"), kube.Text(b, "status", "catalogSource")
		return cmp.Or(catalogRank(x)-catalogRank(y), strings.Compare(x, y))
	}), nil
}

func catalogRank(catalog string) int {
	switch {
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

// chooseChannel picks the channel to follow: the pinned one, else the one that fits this OpenShift; of those that have
// the pinned version, where one is pinned. Catalogs of older OLMs tell the newest version of each channel only; there
// the pinned version is taken on trust, and OLM speaks up.
func chooseChannel(manifest *unstructured.Unstructured, op Operator, openShift *semver.Version) (string, error) {
	channels := kube.Maps(manifest, "status", "channels")
	preset := kube.Text(manifest, "status", "defaultChannel")
	var names, carrying []string
	for _, ch := range channels {
		name := prereq.Text(ch, "name")
		names = append(names, name)
		if mayHave(ch, op.Pin.StartingCSV) {
			carrying = append(carrying, name)
		}
	}
	pin := op.Pin
	switch {
	case pin.Channel != "" && !slices.Contains(names, pin.Channel):
		return "", fmt.Errorf("it has no channel %s; it has %s", pin.Channel, prereq.Listed(names))
	case pin.StartingCSV == "" && pin.Channel != "", pin.Channel != "" && slices.Contains(carrying, pin.Channel):
		return pin.Channel, nil
	case pin.StartingCSV == "":
		return op.channel(preset, names, openShift)
	case pin.Channel != "", len(carrying) == 0:
		return "", fmt.Errorf("it has no version %s; there are %s", pin.StartingCSV, versionsOnOffer(channels, pin.Channel))
	}
	if channel, err := op.channel(preset, names, openShift); err == nil && slices.Contains(carrying, channel) {
		return channel, nil
	}
	if !slices.Contains(carrying, preset) {
		preset = carrying[len(carrying)-1]
	}
	channel, err := op.channel(preset, carrying, openShift)
	if err != nil {
		return "", fmt.Errorf("version %s is in channel %s only: %w", pin.StartingCSV, prereq.Listed(carrying), err)
	}
	return channel, nil
}

// mayHave reports whether a channel has the version, as far as its catalog tells. Every channel may have "".
func mayHave(channel map[string]any, csv string) bool {
	versions, all := versionsOf(channel)
	return csv == "" || !all || slices.Contains(versions, csv)
}

// versionsOf lists the versions in a channel, newest first. Without entries (older OLMs) it is the newest alone, and
// all is false.
func versionsOf(channel map[string]any) (versions []string, all bool) {
	entries, _, _ := unstructured.NestedSlice(channel, "entries")
	for _, e := range entries {
		if m, ok := e.(map[string]any); ok {
			versions = append(versions, prereq.Text(m, "name"))
		}
	}
	if len(versions) == 0 {
		return []string{prereq.Text(channel, "currentCSV")}, false
	}
	return versions, true
}

// versionsOnOffer tells the versions of one channel, or of all where it is "", for a user: the newest few of each.
func versionsOnOffer(channels []map[string]any, only string) string {
	const few = 5
	var parts []string
	for _, ch := range channels {
		if only != "" && prereq.Text(ch, "name") != only {
			continue
		}
		versions, _ := versionsOf(ch)
		more := ""
		if len(versions) > few {
			versions, more = versions[:few], ", ..."
		}
		parts = append(parts, fmt.Sprintf("in channel %s %s%s", prereq.Text(ch, "name"), strings.Join(versions, ", "), more))
	}
	return strings.Join(parts, "; ")
}

// asUnfit finds an unfitError.
func asUnfit(err error) *unfitError {
	var unfit *unfitError
	if errors.As(err, &unfit) {
		return unfit
	}
	return nil
}
