package world

import "strconv"

// Net is a /24 of loopback, by its third octet. All have three digits there, so that rewriting an address keeps its
// length.
type Net struct{ octet int }

// DefaultNet is the net in the manifests of this package and of faults.
var DefaultNet = Net{217}

// Nets returns the nets that a sandbox can use, DefaultNet first.
func Nets() []Net {
	nets := []Net{DefaultNet}
	for octet := 100; octet < 255; octet++ {
		if octet != DefaultNet.octet {
			nets = append(nets, Net{octet})
		}
	}
	return nets
}

// Prefix is the common prefix of the net's addresses, such as "127.0.217.".
func (n Net) Prefix() string { return "127.0." + strconv.Itoa(n.octet) + "." }

// fleet is the prefix of a second range of the same size, for fleets.
func (n Net) fleet() string {
	prefix := "127.2." + strconv.Itoa(n.octet) + "."
	return prefix + "1-" + prefix + "250"
}
