package profile

import "fmt"

// first5 is the minor version of OpenShift 4 that is 5.0, too (HyperShift, support/supportedversion).
const first5 = 23

// MinorNumber numbers the minor version of a release or of its name: 4.20 is 20, 4.23 and 5.0 are 23, 5.1 is 24. It is
// -1 for what is no OpenShift 4 or 5.
func MinorNumber(version string) int {
	var x, y int
	switch _, err := fmt.Sscanf(version, "%d.%d", &x, &y); {
	case err != nil:
		return -1
	case x == 4:
		return y
	case x == 5:
		return first5 + y
	}
	return -1
}

// MinorNames are the names of a minor version by its number, the vendor's choice last: 23 is 4.23 and 5.0, others have
// one name.
func MinorNames(number int) []string {
	var names []string
	if number <= first5 {
		names = append(names, minor(4, number))
	}
	if number >= first5 {
		names = append(names, minor(5, number-first5))
	}
	return names
}

// MinorName is the name that HyperShift's messages have for a number: 5.0 for 23.
func MinorName(number int) string {
	names := MinorNames(number)
	return names[len(names)-1]
}

func minor(x, y int) string { return fmt.Sprintf("%d.%d", x, y) }
