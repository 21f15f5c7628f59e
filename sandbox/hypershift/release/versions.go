package release

import (
	"fmt"
	"strconv"
	"strings"

	utilversion "k8s.io/apimachinery/pkg/util/version"

	"github.com/hcctl/hcctl/sandbox/profile"
)

// Minor returns the number of a version's minor: 23 for 4.23 and 5.0, 24 for 5.1, or -1.
func Minor(version string) int { return profile.MinorNumber(version) }

// Patch returns the number after the second dot of a version, or 0.
func Patch(version string) int {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 3 {
		return 0
	}
	number, _, _ := strings.Cut(parts[2], "-")
	patch, err := strconv.Atoi(number)
	if err != nil {
		return 0
	}
	return patch
}

// KubeletVersion returns the Kubernetes version of an OpenShift: 4.N contains 1.(N+13), and 5.1 has 1.37. The patch
// number is made up.
func KubeletVersion(version string) string { return fmt.Sprintf("v1.%d.5", Minor(version)+13) }

// Newer compares two semantic versions, 5.0.z as 4.23.z. It returns false if one is invalid.
func Newer(a, b string) bool {
	av, aerr := utilversion.ParseSemantic(a)
	bv, berr := utilversion.ParseSemantic(b)
	if aerr != nil || berr != nil {
		return false
	}
	counted := func(v *utilversion.Version, text string) *utilversion.Version {
		if minor := Minor(text); minor >= 0 {
			return v.WithMajor(4).WithMinor(uint(minor))
		}
		return v
	}
	return counted(bv, b).LessThan(counted(av, a))
}
