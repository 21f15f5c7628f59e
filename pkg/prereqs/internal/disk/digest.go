package disk

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
)

// Digest is that of the disks that are taken and of the selection. It changes with everything that tells one of these
// disks from another, and does not with the names that the kernel gives.
func (p Plan) Digest() string {
	var lines []string
	for _, d := range p.Taken() {
		name := d.ByID
		if name == "" {
			name = d.Device
		}
		line, err := json.Marshal([]any{d.Node, name, d.Model, d.Vendor, d.Serial, d.Size, d.Type, d.Media, d.Signature})
		if err != nil {
			line = []byte(err.Error()) // impossible: these are texts and a number
		}
		lines = append(lines, string(line))
	}
	slices.Sort(lines)
	selection, err := json.Marshal(p.Selection)
	if err != nil {
		selection = []byte(err.Error()) // impossible, as above
	}
	sum := sha256.New()
	_, _ = fmt.Fprintf(sum, "hcctl disks 1\n%s\n", selection)
	for _, line := range lines {
		_, _ = fmt.Fprintln(sum, line)
	}
	return digestPrefix + hex.EncodeToString(sum.Sum(nil))
}

// Changes are what a later plan takes or leaves otherwise, for a person.
func (p Plan) Changes(later Plan) []string {
	var out []string
	for _, d := range p.Taken() {
		i := slices.IndexFunc(later.Rows, func(r Row) bool { return r.same(d) })
		switch {
		case i < 0:
			out = append(out, d.Place()+" is gone")
		case !later.Rows[i].Taken:
			out = append(out, d.Place()+" is now "+later.Rows[i].Why)
		}
	}
	for _, d := range later.Taken() {
		if !slices.ContainsFunc(p.Rows, func(r Row) bool { return r.Taken && r.same(d) }) {
			out = append(out, d.Place()+" would be taken now")
		}
	}
	return out
}

func (d Disk) same(other Disk) bool {
	return d.Node == other.Node && d.Path() == other.Path() && d.Size == other.Size && d.Serial == other.Serial
}
