package placement

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// Spread requests that worker VMs run on different hosts, racks or zones.
type Spread struct {
	// Label is the label of the management cluster's nodes whose values define the domains, such as
	// kubernetes.io/hostname.
	Label string
	// Required VMs stay Pending if they cannot be spread evenly. Otherwise the scheduler only tries.
	Required bool
	// Max is the maximum number of VMs in one domain. 0 means an even spread, with a difference of at most one.
	Max int
}

// shortNames maps short names to well-known node labels.
var shortNames = map[string]string{
	"host": corev1.LabelHostname, "zone": corev1.LabelTopologyZone, "region": corev1.LabelTopologyRegion,
}

// maxPerDomain limits Max. No cluster has as many VMs on one host.
const maxPerDomain = 1000

// ParseSpread parses KEY[=required|preferred][,max=N]. KEY is host, zone, region or a label of nodes. The default is
// required.
func ParseSpread(s string) (Spread, error) {
	const form = "not of the form KEY[=required|preferred][,max=N], such as host=preferred or rack,max=2"
	parts := strings.Split(s, ",")
	key, mode, given := strings.Cut(parts[0], "=")
	spread := Spread{Label: key, Required: true}
	if label, short := shortNames[key]; short {
		spread.Label = label
	}
	switch {
	case key == "":
		return Spread{}, errors.New(form)
	case len(validation.IsQualifiedName(spread.Label)) > 0:
		return Spread{}, fmt.Errorf("%q is neither host nor zone nor region nor the name of a label", key)
	case given && mode != "required" && mode != "preferred":
		return Spread{}, fmt.Errorf("%q is neither required nor preferred", mode)
	}
	spread.Required = mode != "preferred"
	for _, part := range parts[1:] {
		text, isMax := strings.CutPrefix(part, "max=")
		maxVMs, err := strconv.Atoi(text)
		switch {
		case !isMax || spread.Max != 0:
			return Spread{}, errors.New(form)
		case err != nil || maxVMs < 1 || maxVMs > maxPerDomain:
			return Spread{}, fmt.Errorf("max=%s is not a number from 1 to %d", text, maxPerDomain)
		case !spread.Required:
			return Spread{}, errors.New("max=N holds only where it is required; leave preferred out")
		}
		spread.Max = maxVMs
	}
	return spread, nil
}

// Noun returns the name of one domain: host, zone, rack.
func (s Spread) Noun() string {
	key := s.key()
	return key[strings.LastIndex(key, "/")+1:]
}

// key returns the label in the form that ParseSpread parses.
func (s Spread) key() string {
	for short, label := range shortNames {
		if s.Label == label {
			return short
		}
	}
	return s.Label
}

// String returns the form that ParseSpread parses.
func (s Spread) String() string {
	mode := "preferred"
	if s.Required {
		mode = "required"
	}
	text := s.key() + "=" + mode
	if s.Max > 0 {
		text += fmt.Sprintf(",max=%d", s.Max)
	}
	return text
}

// conflicts reports whether two spreads conflict in one list: KubeVirt refuses constraints with the same label and the
// same action (validate-k8s-utils.go, ValidateSpreadConstraintNotRepeat).
func (s Spread) conflicts(other Spread) bool {
	return s.Label == other.Label && s.Required == other.Required
}

// Repeated returns the first spread of the list that conflicts with an earlier one.
func Repeated(all []Spread) (Spread, bool) {
	for i, s := range all {
		if slices.ContainsFunc(all[:i], s.conflicts) {
			return s, true
		}
	}
	return Spread{}, false
}

// Join formats a list for an annotation.
func Join(all []Spread) string {
	words := make([]string, len(all))
	for i, s := range all {
		words[i] = s.String()
	}
	return strings.Join(words, " ")
}
