// Package openshift numbers the minor versions of OpenShift: 4.23 and 5.0 are one, and 5.1 comes after it.
package openshift

import "fmt"

// lastMinor4 is the minor version of OpenShift 4 that is 5.0 under another name (HyperShift, support/supportedversion).
const lastMinor4 = 23

// MinorNumber numbers the minor versions: 4.20 is 20, 4.23 and 5.0 are 23, 5.1 is 24.
func MinorNumber[N int | uint64](major, minor N) int {
	return int(minor) + (int(major)-4)*lastMinor4
}

// MinorNames are the names of a minor version by its number: 23 has 4.23 and 5.0, all others have one.
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

// ParseMinor numbers a minor version by its name, such as "4.20", or by that of one of its releases; false for others.
func ParseMinor(name string) (number int, ok bool) {
	var major, minor int
	if _, err := fmt.Sscanf(name, "%d.%d", &major, &minor); err != nil {
		return 0, false
	}
	return MinorNumber(major, minor), true
}
