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
