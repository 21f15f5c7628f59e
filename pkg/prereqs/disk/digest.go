package disk

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
)

// Digest returns the digest of the taken disks and of the selection. It changes with every property that identifies a
// disk, but not with the names that the kernel assigns.
func (p Plan) Digest() string {
	var lines []string
	for _, d := range p.Taken() {
		name := d.ByID
		if name == "" {
			name = d.Device
		}
		line, err := json.Marshal([]any{d.Node, name, d.Model, d.Vendor, d.Serial, d.Size, d.Type, d.Media, d.Signature})
		if err != nil {
			line = []byte(err.Error()) // impossible: strings and a number
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
