package draw

import (
	"cmp"
	"slices"
	"strings"
)

// spot is a place in a layer: a box, or a bend of an arrow that passes the layer.
type spot struct {
	box  *Box
	x, y float64
	// before are the spots of the previous layer with an arrow to this one, after those of the next layer.
	before, after []*spot
	// order is the desired position in the layer, first the present one.
	order float64
	first int
}

func (s *spot) height() float64 {
	if s.box == nil {
		return bendHeight
	}
	return boxHeight
}

// layout has the boxes in layers, so that every arrow leads from one layer to the next.
type layout struct {
	layers [][]*spot
	arrows [][]*spot
}

// sweeps is the number of passes that order the layers, each from left to right and back. More passes change little.
const sweeps = 12

// arrange puts each box into the layer after the last of its needs and orders the layers so that few arrows cross: each
// spot moves to the mean position of its neighbours (barycentre method of Sugiyama, Tagawa and Toda, 1981).
func arrange(boxes []Box) *layout {
	l := &layout{}
	depth, spots := map[string]int{}, map[string]*spot{}
	byID := map[string]*Box{}
	for i := range boxes {
		byID[boxes[i].ID] = &boxes[i]
	}
	var depthOf func(id string) int
	depthOf = func(id string) int {
		if d, ok := depth[id]; ok {
			return d
		}
		depth[id] = 0 // stops at a cycle
		d := 0
		for _, need := range byID[id].Needs {
			d = max(d, depthOf(need)+1)
		}
		depth[id] = d
		return d
	}
	for i := range boxes {
		spots[boxes[i].ID] = l.add(depthOf(boxes[i].ID), &boxes[i])
	}
	for i := range boxes {
		for _, need := range directNeeds(&boxes[i], byID) {
			l.connect(spots[need], spots[boxes[i].ID], depth[need], depth[boxes[i].ID])
		}
	}
	for range sweeps {
		for i := 1; i < len(l.layers); i++ {
			sortLayer(l.layers[i], func(s *spot) []*spot { return s.before })
		}
		for i := len(l.layers) - 2; i >= 0; i-- {
			sortLayer(l.layers[i], func(s *spot) []*spot { return s.after })
		}
	}
	return l
}

// directNeeds returns the needs of a box without transitive ones.
func directNeeds(b *Box, byID map[string]*Box) []string {
	seen := map[string]bool{}
	var visit func(id string)
	visit = func(id string) {
		for _, need := range byID[id].Needs {
			if !seen[need] {
				seen[need] = true
				visit(need)
			}
		}
	}
	for _, need := range b.Needs {
		visit(need)
	}
	return slices.DeleteFunc(slices.Clone(b.Needs), func(id string) bool { return seen[id] || id == b.ID })
}

func (l *layout) add(layer int, b *Box) *spot {
	for len(l.layers) <= layer {
		l.layers = append(l.layers, nil)
	}
	s := &spot{box: b, order: float64(len(l.layers[layer])), first: len(l.layers[layer])}
	l.layers[layer] = append(l.layers[layer], s)
	return s
}

// connect adds an arrow, with a bend in each layer between.
func (l *layout) connect(from, to *spot, first, last int) {
	arrow := []*spot{from}
	for layer := first + 1; layer <= last; layer++ {
		next := to
		if layer < last {
			next = l.add(layer, nil)
		}
		from.after, next.before = append(from.after, next), append(next.before, from)
		arrow, from = append(arrow, next), next
	}
	l.arrows = append(l.arrows, arrow)
}

// sortLayer orders a layer by the mean position of each spot's neighbours in the adjacent layer.
func sortLayer(layer []*spot, beside func(*spot) []*spot) {
	for _, s := range layer {
		if n := beside(s); len(n) > 0 {
			sum := 0.0
			for _, other := range n {
				sum += float64(other.first)
			}
			s.order = sum / float64(len(n))
		}
	}
	slices.SortStableFunc(layer, func(a, b *spot) int { return cmp.Compare(a.order, b.order) })
	for i, s := range layer {
		s.first = i
	}
}

// place sets the coordinates of each spot and returns the total size. A spot is as close to its needs as the spots
// above it allow.
func (l *layout) place() (width, height float64) {
	for i, layer := range l.layers {
		y := 0.0
		for _, s := range layer {
			want := y
			if len(s.before) > 0 {
				sum := 0.0
				for _, n := range s.before {
					sum += n.y + n.height()/2
				}
				want = sum/float64(len(s.before)) - s.height()/2
			}
			s.x, s.y = float64(i)*(boxWidth+layerGap), max(y, want)
			y = s.y + s.height() + boxGap
			height = max(height, s.y+s.height())
			width = max(width, s.x+boxWidth)
		}
	}
	return width, height
}

func (l *layout) boxes() []*spot {
	var out []*spot
	for _, layer := range l.layers {
		for _, s := range layer {
			if s.box != nil {
				out = append(out, s)
			}
		}
	}
	return out
}

// path is an arrow as an SVG path.
type path struct {
	d      string
	strong bool
}

func (l *layout) paths() []path {
	var out []path
	for _, arrow := range l.arrows {
		var d strings.Builder
		from := arrow[0]
		x, y := from.x+boxWidth, from.y+from.height()/2
		d.WriteString("M" + number(x) + " " + number(y))
		for _, to := range arrow[1:] {
			x2, y2 := to.x, to.y+to.height()/2
			half := (x2 - x) / 2
			d.WriteString(" C" + strings.Join([]string{number(x + half), number(y), number(x2 - half), number(y2), number(x2),
				number(y2)}, " "))
			x, y = x2, y2
			if to.box == nil {
				x += boxWidth
				d.WriteString(" H" + number(x))
			}
		}
		last := arrow[len(arrow)-1]
		d.WriteString(" m-6 -4 l6 4 l-6 4")
		out = append(out, path{d.String(), from.box.Strong && last.box.Strong})
	}
	return out
}
