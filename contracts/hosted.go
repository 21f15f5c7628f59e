package contracts

import "fmt"

// HostedVersions are the minor versions of hosted clusters that HyperShift of an OpenShift release lists in ConfigMap
// supported-versions, newest first: supported_versions in hypershift.yaml.
func HostedVersions(hyperShift Release) []string {
	newest := max(hyperShift.Minor, 13) // the branch of 4.12 has 4.13 already
	var all []string
	if hyperShift.Major > 4 || hyperShift.Minor > 22 {
		newest, all = 23, []string{"5.1", "5.0"} // 4.23, 5.0 and 5.1 list the same
	}
	oldest := 14
	switch {
	case newest <= 15:
		oldest = newest - 2
	case newest == 16:
		oldest = 13
	}
	for minor := newest; minor >= oldest; minor-- {
		all = append(all, fmt.Sprintf("4.%d", minor))
	}
	return all
}
