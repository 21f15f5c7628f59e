package transport

// Memory of decoded JSON beyond its text, in bytes. A map with one entry takes 350 bytes in Go, and an empty element of
// a typed list as much as its struct.
const (
	memoryOfObject  = 64
	memoryOfMembers = 320 // the first member of an object makes the map allocate
	memoryOfItem    = 2 * kib
	memoryOfElement = 384
	memoryOfArray   = 64
	memoryOfString  = 48
	memoryOfSlot    = 40
	// itemDepth is the depth of the items of a list.
	itemDepth = 2
)

// jsonMeter estimates the decoded size of a stream of JSON values without decoding it. It need not handle invalid JSON,
// where the decoder stops.
type jsonMeter struct {
	// bytes and memory are the size of the current value.
	bytes, memory int64
	// values is set to measure each value separately, as for watch events.
	values bool
	// depth is the current depth; tooDeep is set once it exceeded maxDepth.
	depth   int
	tooDeep bool

	arrays            [maxDepth + 1]bool
	inString, escaped bool
	// last is the last byte outside of strings and white space.
	last byte
}

// scan reads the next bytes and returns the size of the largest value.
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

// scanByte reads one byte.
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
		// In YAML each value has its own line, indented by its depth.
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

// Memory estimates the size of a decoded JSON value in bytes, in the same way as Limits.
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
