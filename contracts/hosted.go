package contracts

import "fmt"

// HostedVersions are the minor versions of hosted clusters that HyperShift of OpenShift 4.Y lists in ConfigMap
// supported-versions, newest first: supported_versions in hypershift.yaml.
func HostedVersions(hyperShift Release) []string {
	newest := max(hyperShift.Minor, 13) // the branch of 4.12 has 4.13 already
	oldest := 14
	switch {
	case hyperShift.Minor <= 15:
		oldest = newest - 2
	case hyperShift.Minor == 16:
		oldest = 13
	}
	var all []string
	for minor := newest; minor >= oldest; minor-- {
		all = append(all, fmt.Sprintf("4.%d", minor))
	}
	return all
}
