package disk

import (
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/internal/option"
)

// AnyMedia accepts disks of all media, including those that do not report it.
const AnyMedia = "any"

// Options are a user's settings for disks. The zero value selects every empty whole SSD and NVMe disk.
type Options struct {
	// Nodes is a label selector; empty means all nodes that LocalVolumeDiscovery covers.
	Nodes string
	// Types are disk, part or mpath; disk by default.
	Types []string
	// Media is ssd, hdd or any; ssd by default.
	Media string
	// MinSize and MaxSize are quantities, such as 500Gi.
	MinSize, MaxSize string
	// Take and Leave are patterns of models and by-id names.
	Take, Leave []string
	// PerNode is the maximum number of disks of one node; zero means all.
	PerNode int
	// Agreed is the digest of the approved plan, or the exact disks: node=NAME, then by-id=NAME for each; or class=NAME,
	// the free volumes of a foreign class.
	Agreed []string
}

// Types lists the types of devices that can be taken: the types of a LocalVolumeSet that the discovery reports.
func Types() []string { return []string{"disk", "part", "mpath"} }

// AllMedia lists the values of Media, the default first.
func AllMedia() []string { return []string{string(SSD), string(HDD), AnyMedia} }

// Selection is validated Options.
type Selection struct {
	nodes      labels.Selector
	types      []string
	media      string
	min, max   int64
	take, left []string
	perNode    int
	named      []name
	class      string
	digest     string
	saved      *Saved
	called     string
}

// name is one disk that the user has named.
type name struct{ Node, Link string }

func (n name) String() string { return "node=" + n.Node + ",by-id=" + n.Link }

const digestPrefix = "sha256:"

var digestForm = lazyregexp.New(`^sha256:[0-9a-f]{64}$`)

// Validate parses the options. The error is an *option.Error.
func (o Options) Validate() (Selection, error) {
	s := Selection{types: []string{"disk"}, media: string(SSD), perNode: o.PerNode, min: MinSize}
	var err error
	if s.nodes, err = labels.Parse(o.Nodes); err != nil {
		return s, option.Errorf("storage.disks.nodes", o.Nodes, "give a label selector, such as disks=fast")
	}
	if len(o.Types) > 0 {
		s.types = slices.Compact(slices.Sorted(slices.Values(o.Types)))
	}
	for _, t := range s.types {
		if !slices.Contains(Types(), t) {
			return s, option.Errorf("storage.disks.types", t, "use one of %s", strings.Join(Types(), ", "))
		}
	}
	if o.Media != "" {
		s.media = o.Media
	}
	if !slices.Contains(AllMedia(), s.media) {
		return s, option.Errorf("storage.disks.media", o.Media, "use one of %s", strings.Join(AllMedia(), ", "))
	}
	if err := s.sizes(o); err != nil {
		return s, err
	}
	if o.PerNode < 0 {
		return s, option.Errorf("storage.disks.perNode", o.PerNode, "it cannot be negative; 0 means every disk")
	}
	if s.take, err = patterns("storage.disks.take", o.Take); err != nil {
		return s, err
	}
	if s.left, err = patterns("storage.disks.leave", o.Leave); err != nil {
		return s, err
	}
	return s, s.agreed(o.Agreed)
}

func (s *Selection) sizes(o Options) error {
	for _, one := range []struct {
		field, text string
		to          *int64
	}{{"storage.disks.minSize", o.MinSize, &s.min}, {"storage.disks.maxSize", o.MaxSize, &s.max}} {
		if one.text == "" {
			continue
		}
		q, err := resource.ParseQuantity(one.text)
		if err != nil || q.Sign() <= 0 {
			return option.Errorf(one.field, one.text, "give a size, such as 500Gi")
		}
		*one.to = q.Value()
	}
	if s.min < MinSize {
		return option.Errorf("storage.disks.minSize", o.MinSize, "the Local Storage Operator takes no disk below 1Gi")
	}
	if s.max > 0 && s.max < s.min {
		return option.Errorf("storage.disks.maxSize", o.MaxSize, "it is below the least size")
	}
	return nil
}

func patterns(field string, given []string) ([]string, error) {
	out := make([]string, 0, len(given))
	for _, p := range given {
		if _, err := path.Match(p, ""); err != nil || p == "" {
			return nil, option.Errorf(field, p, "give a part of a model or by-id name, or a pattern, such as nvme-eui.*")
		}
		out = append(out, strings.ToLower(p))
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// agreed parses a digest, a class, or nodes and their disks.
func (s *Selection) agreed(given []string) error {
	const field = "storage.disks.agreed"
	const want = "give a file with what hcctl disks -o json printed (FILE.json), its digest (sha256:...), node=NAME," +
		"by-id=NAME for each disk, or class=NAME for the volumes of a class"
	if len(given) == 1 && strings.HasPrefix(given[0], digestPrefix) {
		if s.digest = given[0]; !digestForm.MatchString(s.digest) {
			return option.Errorf(field, s.digest, "%s", want)
		}
		return nil
	}
	if class, named := strings.CutPrefix(strings.Join(given, ","), "class="); named {
		if s.class = class; len(validation.IsDNS1123Subdomain(class)) > 0 {
			return option.Errorf(field, class, "%s", want)
		}
		return nil
	}
	node := ""
	for _, word := range given {
		key, value, _ := strings.Cut(word, "=")
		switch {
		case key == "node" && value != "":
			node = value
		case key == "by-id" && node != "" && byIDPath.MatchString(byIDDirectory+fileName(value)):
			if one := (name{node, fileName(value)}); !slices.Contains(s.named, one) {
				s.named = append(s.named, one)
			}
		default:
			return option.Errorf(field, word, "%s", want)
		}
	}
	if len(given) > 0 && len(s.named) == 0 {
		return option.Errorf(field, strings.Join(given, ","), "%s", want)
	}
	slices.SortFunc(s.named, func(a, b name) int { return strings.Compare(a.String(), b.String()) })
	return nil
}

const byIDDirectory = "/dev/disk/by-id/"

// Digest returns the digest that the user has agreed to, or "".
func (s Selection) Digest() string { return s.digest }

// Named reports whether the user has named the exact disks.
func (s Selection) Named() bool { return len(s.named) > 0 }

// Class returns the foreign class of volumes that the user has named, or "".
func (s Selection) Class() string { return s.class }

// matches reports whether a pattern matches the disk: as a part of its model or by-id name, or with wildcards the whole
// of it.
func matches(all []string, d Disk) bool {
	return slices.ContainsFunc(all, func(p string) bool {
		for _, text := range []string{strings.ToLower(d.Model), strings.ToLower(d.Link())} {
			if !strings.ContainsAny(p, "*?[") {
				if strings.Contains(text, p) {
					return true
				}
			} else if ok, err := path.Match(p, text); ok && err == nil {
				return true
			}
		}
		return false
	})
}

// CalledWith returns the selection of the same call with these further flags.
func (s Selection) CalledWith(flags []string) Selection {
	for _, word := range flags {
		s.called += quoted(word) + " "
	}
	return s
}

// Flags returns the flags of the call without --disks, each followed by a space.
func (s Selection) Flags() string {
	var b strings.Builder
	b.WriteString(s.called)
	add := func(flag string, values ...string) {
		for _, v := range values {
			b.WriteString("--" + flag + " " + quoted(v) + " ")
		}
	}
	if s.nodes != nil && !s.nodes.Empty() {
		add("disk-nodes", s.nodes.String())
	}
	if !slices.Equal(s.types, []string{"disk"}) {
		add("disk-types", s.types...)
	}
	if s.media != string(SSD) {
		add("disk-media", s.media)
	}
	if s.min > MinSize {
		add("disk-min-size", strconv.FormatInt(s.min, 10))
	}
	if s.max > 0 {
		add("disk-max-size", strconv.FormatInt(s.max, 10))
	}
	add("disk-take", s.take...)
	add("disk-leave", s.left...)
	if s.perNode > 0 {
		add("disks-per-node", strconv.Itoa(s.perNode))
	}
	return b.String()
}

// quoted quotes a word for a shell.
func quoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

var plainWord = lazyregexp.New(`^[A-Za-z0-9_./:=@,+-]+$`)

// MarshalJSON writes the selection. It is part of the digest, so equal selections have equal JSON.
func (s Selection) MarshalJSON() ([]byte, error) {
	names := make([]string, 0, len(s.named))
	for _, n := range s.named {
		names = append(names, n.String())
	}
	if len(names) > 0 {
		return json.Marshal(struct {
			Named []string `json:"named"`
		}{names})
	}
	nodes := ""
	if s.nodes != nil {
		nodes = s.nodes.String()
	}
	return json.Marshal(struct {
		Nodes   string   `json:"nodes,omitempty"`
		Types   []string `json:"types"`
		Media   string   `json:"media"`
		MinSize int64    `json:"minSize"`
		MaxSize int64    `json:"maxSize,omitempty"`
		Take    []string `json:"take,omitempty"`
		Leave   []string `json:"leave,omitempty"`
		PerNode int      `json:"perNode,omitempty"`
	}{nodes, s.types, s.media, s.min, s.max, s.take, s.left, s.perNode})
}
