package release

import (
	"fmt"
	"strconv"
	"strings"

	utilversion "k8s.io/apimachinery/pkg/util/version"
)

// Minor returns the minor of a 4.x version, or -1.
func Minor(version string) int {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 || parts[0] != "4" {
		return -1
	}
	minor, err := strconv.Atoi(parts[1])
	if err != nil {
		return -1
	}
	return minor
}

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

// KubeletVersion returns the Kubernetes version of an OpenShift: 4.N contains 1.(N+13). The patch number is made up.
func KubeletVersion(version string) string { return fmt.Sprintf("v1.%d.5", Minor(version)+13) }

// Newer compares two semantic versions. It returns false if one is invalid.
func Newer(a, b string) bool {
	av, aerr := utilversion.ParseSemantic(a)
	bv, berr := utilversion.ParseSemantic(b)
	return aerr == nil && berr == nil && bv.LessThan(av)
}
