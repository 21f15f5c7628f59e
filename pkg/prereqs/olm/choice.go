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

// chooseCatalog chooses among catalogs that offer the same package: the pinned one, Red Hat's own, a mirror of it
// (oc-mirror names it cs-redhat-operator-index-...), any other, the community's. It returns errNotOffered, or an
// unfitError if only the pinned catalog lacks it.
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

// chooseChannel returns the pinned channel, or the one that fits this OpenShift, among those with the pinned version if
// one is pinned. Catalogs of older OLMs list only the newest version of each channel. With them the pinned version is
// not checked, and OLM reports a wrong one.
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

// mayHave reports whether a channel has the version, as far as its catalog lists versions. It is true for "".
func mayHave(channel map[string]any, csv string) bool {
	versions, all := versionsOf(channel)
	return csv == "" || !all || slices.Contains(versions, csv)
}

// versionsOf lists the versions in a channel, newest first. Older OLMs list only the newest; all is false then.
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

// versionsOnOffer describes the newest five versions of one channel, or of each channel if only is "".
func versionsOnOffer(channels []map[string]any, only string) string {
	const maxVersions = 5
	var parts []string
	for _, ch := range channels {
		if only != "" && prereq.Text(ch, "name") != only {
			continue
		}
		versions, _ := versionsOf(ch)
		more := ""
		if len(versions) > maxVersions {
			versions, more = versions[:maxVersions], ", ..."
		}
		parts = append(parts, fmt.Sprintf("in channel %s %s%s", prereq.Text(ch, "name"), strings.Join(versions, ", "), more))
	}
	return strings.Join(parts, "; ")
}

// asUnfit returns the unfitError in err, or nil.
func asUnfit(err error) *unfitError {
	var unfit *unfitError
	if errors.As(err, &unfit) {
		return unfit
	}
	return nil
}
