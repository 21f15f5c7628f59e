package world

import "strconv"

// Net is a /24 of loopback, by its third octet. They all have three digits there, so that one can stand for another
// byte by byte.
type Net struct{ octet int }

// Written is the net that stands in the objects of this package and in those of faults.
var Written = Net{217}

// Nets are those that a sandbox may claim, Written first.
func Nets() []Net {
	nets := []Net{Written}
	for octet := 100; octet < 255; octet++ {
		if octet != Written.octet {
			nets = append(nets, Net{octet})
		}
	}
	return nets
}

// Prefix is what the net's addresses begin with, such as "127.0.217.".
func (n Net) Prefix() string { return "127.0." + strconv.Itoa(n.octet) + "." }

// fleet is a second range of the same size, for fleets.
func (n Net) fleet() string {
	prefix := "127.2." + strconv.Itoa(n.octet) + "."
	return prefix + "1-" + prefix + "250"
}
