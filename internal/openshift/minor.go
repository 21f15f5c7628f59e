// Package openshift numbers the minor versions of OpenShift: 4.23 and 5.0 have the same number, and 5.1 follows.
package openshift

import "fmt"

// lastMinor4 is the minor version of OpenShift 4 that is the same as 5.0 (HyperShift, support/supportedversion).
const lastMinor4 = 23

// MinorNumber returns the number of a minor version: 20 for 4.20, 23 for 4.23 and 5.0, 24 for 5.1.
func MinorNumber[N int | uint64](major, minor N) int {
	return int(minor) + (int(major)-4)*lastMinor4
}

// MinorNames returns the names of a minor version by its number: 4.23 and 5.0 for 23, one name for all others.
func MinorNames(number int) []string {
	var names []string
	if number <= lastMinor4 {
		names = append(names, fmt.Sprintf("4.%d", number))
	}
	if number >= lastMinor4 {
		names = append(names, fmt.Sprintf("5.%d", number-lastMinor4))
	}
	return names
}

// ParseMinor returns the number of a minor version by its name, such as "4.20", or by that of one of its releases;
// false for other texts.
func ParseMinor(name string) (number int, ok bool) {
	var major, minor int
	if _, err := fmt.Sscanf(name, "%d.%d", &major, &minor); err != nil {
		return 0, false
	}
	return MinorNumber(major, minor), true
}
