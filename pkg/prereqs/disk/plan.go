package disk

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/hcctl/hcctl/internal/consent"
	"github.com/hcctl/hcctl/internal/hint"
)

// Row is one disk of a plan.
type Row struct {
	Disk
	Taken bool `json:"taken"`
	// Why is why the disk is left, or the rule by which it is taken.
	Why string `json:"why"`
	// Shared lists the other places at which the same disk appears.
	Shared []string `json:"shared,omitempty"`
	// Doubts are the reasons why a run must not take it without asking a user.
	Doubts []string `json:"doubts,omitempty"`

	// claimedBy is the foreign object that takes the disk, or "".
	claimedBy string
}

// Plan lists the disks that are taken and those that are left.
type Plan struct {
	Selection Selection `json:"selection"`
	Rows      []Row     `json:"disks"`
	// Problems are the reasons why the plan cannot be applied.
	Problems []string `json:"problems,omitempty"`
	// For names the product that the disks are for, for messages.
	For string `json:"-"`
	// Last is the node whose disks changed last, and LastAt is when.
	Last   string    `json:"-"`
	LastAt time.Time `json:"-"`
}

// New makes the plan. held are the disks that hcctl has taken already for the same product; claims are those of other
// objects.
func New(reports []Report, nodes []corev1.Node, s Selection, held Held, claims ...Claim) Plan {
	p := Plan{Selection: s, Rows: []Row{}}
	for _, r := range reports {
		for _, d := range r.Disks {
			p.Rows = append(p.Rows, Row{Disk: d})
		}
		if r.At.After(p.LastAt) {
			p.Last, p.LastAt = r.Node, r.At
		}
	}
	slices.SortStableFunc(p.Rows, func(a, b Row) int {
		return cmp.Or(strings.Compare(a.Node, b.Node), cmp.Compare(len(a.Device), len(b.Device)),
			strings.Compare(a.Device, b.Device), strings.Compare(a.ByID, b.ByID))
	})
	p.share()
	p.claim(nodes, claims)
	perNode := map[string]int{}
	for _, r := range p.Rows {
		if r.Class != "" && r.Class == held.Class || held.Holds(labelsOf(nodes, r.Node)[corev1.LabelHostname], r.Disk) {
			perNode[r.Node]++
		}
	}
	for i := range p.Rows {
		row := &p.Rows[i]
		if row.Why = s.reasonToLeave(row, labelsOf(nodes, row.Node), held); row.Why != "" {
			continue
		}
		if s.perNode > 0 && !s.Named() && perNode[row.Node] >= s.perNode {
			row.Why = fmt.Sprintf("left: it is more than the %d disks of each node", s.perNode)
			continue
		}
		perNode[row.Node]++
		row.Taken, row.Doubts, row.Why = true, row.doubts(), "taken"
	}
	p.findProblems(held, nodes)
	return p
}

// share finds the disks that appear at several places.
func (p *Plan) share() {
	seen := map[string][]int{}
	for i := range p.Rows {
		for _, id := range p.Rows[i].identities() {
			seen[id] = append(seen[id], i)
		}
	}
	for _, places := range seen {
		for _, i := range places {
			for _, other := range places {
				if at := p.Rows[other].Place(); other != i && !slices.Contains(p.Rows[i].Shared, at) {
					p.Rows[i].Shared = append(p.Rows[i].Shared, at)
				}
			}
		}
	}
	for i := range p.Rows {
		slices.Sort(p.Rows[i].Shared)
	}
}

// labelsOf returns a node's labels, or nil if the node does not exist.
func labelsOf(nodes []corev1.Node, name string) labels.Set {
	for i := range nodes {
		if nodes[i].Name == name {
			return labels.Merge(nodes[i].Labels, nil)
		}
	}
	return nil
}

// reasonToLeave returns why the disk is left, or "" if it is taken.
func (s Selection) reasonToLeave(r *Row, node labels.Set, held Held) string {
	why := s.unusable(r, node, held)
	switch {
	case why != "":
	case s.Named() && !slices.Contains(s.named, name{r.Node, r.Link()}):
		why = "it is not named"
	case s.Named():
		return ""
	default:
		why = s.unwanted(r, node)
	}
	if why == "" {
		return ""
	}
	return "left: " + why
}

// unusable returns why the disk cannot be taken by any selection.
func (s Selection) unusable(r *Row, node labels.Set, held Held) string {
	switch {
	case node == nil:
		return "it is on a node that is not there"
	case r.Used() != "":
		return "it " + r.Used()
	case held.Holds(node[corev1.LabelHostname], r.Disk):
		return "it is to become a volume already"
	case r.claimedBy != "":
		return "it is to be taken by " + r.claimedBy
	case r.Path() == "":
		return "it has no plain path that could be written down"
	case held.Closed && !slices.Contains(held.Hosts, node[corev1.LabelHostname]):
		return "it is on a node that cannot be added any more"
	}
	return ""
}

// unwanted returns why the selection leaves the disk.
func (s Selection) unwanted(r *Row, node labels.Set) string {
	switch {
	case !s.nodes.Matches(node):
		return "it is on a node that is not selected"
	case !slices.Contains(s.types, r.Type):
		return "it is of type " + cmp.Or(r.Type, "unknown")
	case r.Removable():
		return "it is removable"
	case len(r.Shared) > 0:
		return "it is the same disk as " + few(r.Shared)
	case s.media != AnyMedia && string(r.Media) != s.media:
		return "it is " + r.Media.describe()
	case r.Size < s.min:
		return "it is smaller than " + Bytes(s.min)
	case s.max > 0 && r.Size > s.max:
		return "it is larger than " + Bytes(s.max)
	case matches(s.left, r.Disk):
		return "it matches what is to be left"
	case len(s.take) > 0 && !matches(s.take, r.Disk):
		return "it does not match what is to be taken"
	}
	return ""
}

func (m Media) describe() string {
	switch m {
	case SSD:
		return "an SSD"
	case HDD:
		return "a hard disk"
	}
	return "not said to be an SSD or a hard disk"
}

// doubts returns the reasons why only a user can agree to take the disk.
func (r *Row) doubts() []string {
	var out []string
	if r.Media != SSD {
		out = append(out, "it is "+r.Media.describe())
	}
	if r.Type != "disk" {
		out = append(out, "it is of type "+cmp.Or(r.Type, "unknown"))
	}
	if r.Removable() {
		out = append(out, "it is removable")
	}
	if len(r.Shared) > 0 {
		out = append(out, "it is the same disk as "+few(r.Shared))
	}
	switch {
	case r.ByID == "":
		out = append(out, "it has no by-id name, so another disk may have its name after a restart")
	case strings.HasPrefix(r.Link(), vendorOnly):
		out = append(out, "its by-id name is not unique in the world, so it may be seen elsewhere too")
	}
	return out
}

// Taken returns the disks that are taken.
func (p Plan) Taken() []Disk {
	var out []Disk
	for _, r := range p.Rows {
		if r.Taken {
			out = append(out, r.Disk)
		}
	}
	return out
}

// Nodes returns the nodes whose disks are taken.
func (p Plan) Nodes() []string {
	var out []string
	for _, d := range p.Taken() {
		if !slices.Contains(out, d.Node) {
			out = append(out, d.Node)
		}
	}
	return out
}

// Doubts returns the reasons why only a user can agree to the plan. Without any, no question is needed.
func (p Plan) Doubts() []string {
	var out []string
	for _, r := range p.Rows {
		for _, doubt := range r.Doubts {
			out = append(out, r.Place()+": "+doubt)
		}
	}
	return out
}

// Request returns the consent that a run with these disks needs.
func (p Plan) Request() consent.Request {
	r := consent.Request{Doubts: len(p.Doubts()) > 0}
	switch agreed := p.Selection.digest; {
	case p.Selection.Named():
		r.Disks = consent.Named
	case agreed == p.Digest():
		r.Disks = consent.OfThese
	case agreed != "":
		r.Disks = consent.OfOthers
	}
	return r
}

// Command returns the command that agrees to the plan: the same call with the digest.
func (p Plan) Command() string {
	return "hcctl bootstrap " + p.Selection.Flags() + fmt.Sprintf("%s ", hint.Flag("disks")) + p.Digest()
}

// maxNames is the maximum number of names in a message.
const maxNames = 12

// few joins names, at most maxNames of them.
func few(names []string) string {
	if len(names) <= maxNames {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s (and %d more)", strings.Join(names[:maxNames], ", "), len(names)-maxNames)
}
