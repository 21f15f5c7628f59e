package disk

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hcctl/hcctl/internal/document"
	"github.com/hcctl/hcctl/pkg/step"
)

// Saved is a plan in the form that hcctl disks -o json prints.
type Saved struct {
	// Digest is the digest that the user agrees to.
	Digest string
	rows   []Row
}

// ReadSaved parses a saved plan. Only its digest counts; the disks show later what has changed since.
func ReadSaved(data []byte) (Saved, error) {
	var doc struct {
		step.TypeMeta
		Digest    string          `json:"digest"`
		Disks     []Row           `json:"disks"`
		Selection json.RawMessage `json:"selection"`
	}
	one, err := document.One(data, "what hcctl disks -o json prints")
	if err == nil {
		err = one.Loose(&doc)
	}
	if err != nil {
		return Saved{}, fmt.Errorf("it is not a plan of hcctl disks -o json: %w", err)
	}
	if doc.TypeMeta != step.NewTypeMeta("DiskPlan") || !digestForm.MatchString(doc.Digest) {
		return Saved{}, errors.New("it is not a plan of hcctl disks -o json: it has no kind DiskPlan with a digest")
	}
	return Saved{Digest: doc.Digest, rows: doc.Disks}, nil
}

// With returns the selection of a user who agrees to the saved plan.
func (s Selection) With(saved Saved) Selection {
	s.digest, s.saved = saved.Digest, &saved
	return s
}

// Since returns the differences between the saved plan and this one, or nil if no plan was saved.
func (s Selection) Since(now Plan) []string {
	if s.saved == nil {
		return nil
	}
	changes := Plan{Rows: s.saved.rows}.Changes(now)
	if len(changes) == 0 {
		changes = []string{"the disks are the same, and what is selected is not"}
	}
	return changes
}

// Changes returns what a later plan takes or leaves differently, for messages.
func (p Plan) Changes(later Plan) []string {
	var out []string
	for _, d := range p.Taken() {
		i := slices.IndexFunc(later.Rows, func(r Row) bool { return r.same(d) })
		switch {
		case i < 0:
			out = append(out, d.Place()+" is gone")
		case !later.Rows[i].Taken:
			out = append(out, d.Place()+" is now "+later.Rows[i].Why)
		default:
			if difference := d.differs(later.Rows[i].Disk); difference != "" {
				out = append(out, d.Place()+" has changed: "+difference)
			}
		}
	}
	for _, d := range later.Taken() {
		if !slices.ContainsFunc(p.Rows, func(r Row) bool { return r.Taken && r.same(d) }) {
			out = append(out, d.Place()+" would be taken now")
		}
	}
	return out
}

// same reports whether both have the same place and name. It may be another disk now, see differs.
func (d Disk) same(other Disk) bool { return d.Node == other.Node && d.Path() == other.Path() }

// differs returns the properties that differ between two disks of one name, or "".
func (d Disk) differs(now Disk) string {
	var out []string
	for _, f := range []struct{ name, before, after string }{
		{"size", Bytes(d.Size), Bytes(now.Size)}, {"serial number", d.Serial, now.Serial}, {"model", d.Model, now.Model},
		{"vendor", d.Vendor, now.Vendor}, {"type", d.Type, now.Type}, {"media", string(d.Media), string(now.Media)},
		{"signature", d.Signature, now.Signature},
	} {
		if f.before != f.after {
			out = append(out, fmt.Sprintf("%s %q, was %q", f.name, f.after, f.before))
		}
	}
	if len(out) == 0 && d.Size != now.Size {
		out = append(out, fmt.Sprintf("size %d bytes, was %d", now.Size, d.Size))
	}
	return strings.Join(out, ", ")
}
