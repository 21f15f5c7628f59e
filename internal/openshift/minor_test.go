package openshift_test

import (
	"slices"
	"testing"

	"github.com/hcctl/hcctl/internal/openshift"
)

// TestMinorNumber has the rows of the vendor's tests of dual versioning (HyperShift, support/supportedversion).
func TestMinorNumber(t *testing.T) {
	for _, tc := range []struct {
		major, minor, number int
		names                []string
	}{
		{4, 14, 14, []string{"4.14"}},
		{4, 22, 22, []string{"4.22"}},
		{4, 23, 23, []string{"4.23", "5.0"}},
		{5, 0, 23, []string{"4.23", "5.0"}},
		{5, 1, 24, []string{"5.1"}},
		{4, 24, 24, []string{"5.1"}},
		{5, 7, 30, []string{"5.7"}},
	} {
		if got := openshift.MinorNumber(tc.major, tc.minor); got != tc.number {
			t.Errorf("%d.%d is %d, want %d", tc.major, tc.minor, got, tc.number)
		}
		if got := openshift.MinorNumber(uint64(tc.major), uint64(tc.minor)); got != tc.number {
			t.Errorf("%d.%d is %d, want %d", tc.major, tc.minor, got, tc.number)
		}
		if got, ok := openshift.ParseMinor(tc.names[0]); got != tc.number || !ok {
			t.Errorf("%s is %d, %t, want %d", tc.names[0], got, ok, tc.number)
		}
		if got := openshift.MinorNames(tc.number); !slices.Equal(got, tc.names) {
			t.Errorf("%d has names %v, want %v", tc.number, got, tc.names)
		}
	}
	for _, name := range []string{"", "4", "next", "stable-4.20", "v4.20"} {
		if got, ok := openshift.ParseMinor(name); ok {
			t.Errorf("%q is %d", name, got)
		}
	}
}
