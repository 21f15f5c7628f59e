// Package hostedversions reads the OpenShift versions that HyperShift's operator can create.
package hostedversions

import (
	"encoding/json"
	"slices"

	"github.com/hcctl/hcctl/internal/openshift"
)

// minKubeVirt is the first minor that HyperShift creates on KubeVirt, since its own 4.14.
const minKubeVirt = 14

// Parse reads the value of key supported-versions in ConfigMap hypershift/supported-versions, and returns the minors
// that can be hosted clusters on KubeVirt, such as "4.20". Since 4.14 HyperShift (support/supportedversion) rejects
// minors before 4.14 there, although multicluster engine 2.4, 2.5 and 2.6 list 4.12 or 4.13, too. Older releases accept
// all that they list.
func Parse(data string) ([]string, error) {
	var supported struct {
		Versions []string `json:"versions"`
	}
	if err := json.Unmarshal([]byte(data), &supported); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(supported.Versions, hostsOnKubeVirt) {
		return supported.Versions, nil
	}
	return slices.DeleteFunc(supported.Versions, func(v string) bool { return !hostsOnKubeVirt(v) }), nil
}

// hostsOnKubeVirt reports whether the minor is 4.14 or later; false if it cannot be parsed.
func hostsOnKubeVirt(version string) bool {
	number, ok := openshift.ParseMinor(version)
	return ok && number >= minKubeVirt
}
