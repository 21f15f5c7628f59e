package transport

// What decoded JSON takes, in bytes, beyond its text. A map with one entry takes 350 bytes in Go, and an empty
// element of a typed list as much as its struct, for the two or three bytes of JSON that say so.
const (
	memoryOfObject  = 64
	memoryOfMembers = 320 // the first member of an object makes the map allocate
	memoryOfItem    = 2 * kib
	memoryOfElement = 384
	memoryOfArray   = 64
	memoryOfString  = 48
	memoryOfSlot    = 40
	// itemDepth is how deep the items of a list are nested: in an array, in the list.
	itemDepth = 2
)

// jsonMeter estimates what a stream of JSON values takes once it is decoded, without decoding it. What is no JSON is
// not its business: the decoder stops at it.
type jsonMeter struct {
	// bytes and memory are those of the value that is under way, or of the last one that was larger within one call
	// of scan.
	bytes, memory int64
	// values is whether each value is measured for itself, as the events of a watch are.
	values bool
	// depth is how deep it is nested now, tooDeep whether it was more than deepest.
	depth   int
	tooDeep bool

	arrays            [maxDepth + 1]bool
	inString, escaped bool
	// last is the last character that was neither in a string nor white space.
	last byte
}

// scan takes the next bytes, and returns the most that any value has come to.
func (m *jsonMeter) scan(p []byte) (bytes, memory int64) {
	for _, c := range p {
		m.bytes++
		m.memory++
		m.scanByte(c)
		if m.values && m.depth == 0 && (c == '}' || c == ']') && !m.inString {
			bytes, memory = max(bytes, m.bytes), max(memory, m.memory)
			m.bytes, m.memory = 0, 0
		}
	}
	return max(bytes, m.bytes), max(memory, m.memory)
}

// scanByte takes one byte.
func (m *jsonMeter) scanByte(c byte) {
	if m.inString {
		switch {
		case m.escaped:
			m.escaped = false
		case c == '\\':
			m.escaped = true
		case c == '"':
			m.inString = false
		}
		return
	}
	switch c {
	case ' ', '\t', '\r', '\n':
		return
	case '"':
		m.inString = true
		m.memory += memoryOfString
		if m.last == '{' {
			m.memory += memoryOfMembers
		}
	case '{':
		m.memory += memoryOfObject
		if m.arrays[m.depth] {
			m.memory += memoryOfElement
			if m.depth == itemDepth {
				m.memory += memoryOfItem
			}
		}
		m.enter(false)
	case '[':
		m.memory += memoryOfArray
		m.enter(true)
	case '}', ']':
		m.depth = max(0, m.depth-1)
	case ',':
		// As YAML, each value has a line of its own, indented by its depth.
		m.memory += memoryOfSlot + 2*int64(m.depth)
	}
	m.last = c
}

func (m *jsonMeter) enter(array bool) {
	if m.depth == maxDepth {
		m.tooDeep = true
		return
	}
	m.depth++
	m.arrays[m.depth] = array
}

// Memory estimates what a decoded JSON value takes, in bytes, by the same measure as Limits.
func Memory(value any) int64 {
	switch v := value.(type) {
	case map[string]any:
		n := int64(memoryOfObject)
		if len(v) > 0 {
			n += memoryOfMembers
		}
		for key, member := range v {
			n += int64(len(key)) + memoryOfString + memoryOfSlot + Memory(member)
		}
		return n
	case []any:
		n := int64(memoryOfArray)
		for _, element := range v {
			n += memoryOfSlot + Memory(element)
		}
		return n
	case string:
		return int64(len(v)) + memoryOfString
	}
	return memoryOfSlot
}
