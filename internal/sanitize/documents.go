package sanitize

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"go.yaml.in/yaml/v2"
)

// NewJSONEncoder returns an encoder that escapes Hidden characters, because encoding/json keeps DEL, C1 and
// bidirectional controls. The decoded value is the same.
func NewJSONEncoder(w io.Writer) *json.Encoder { return json.NewEncoder(jsonWriter{w}) }

// jsonWriter expects whole documents, as json.Encoder writes them.
type jsonWriter struct{ w io.Writer }

func (j jsonWriter) Write(p []byte) (int, error) {
	if _, err := j.w.Write(escapeHidden(p, jsonEscape)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// JSON is json.MarshalIndent with two spaces and Hidden characters as escapes.
func JSON(v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", "  ")
	return escapeHidden(data, jsonEscape), err
}

func jsonEscape(r rune) string {
	if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
		return fmt.Sprintf(`\u%04x\u%04x`, high, low)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// XML returns an XML document with Hidden characters as character references.
func XML(document []byte) []byte {
	return escapeHidden(document, func(r rune) string { return fmt.Sprintf("&#x%X;", r) })
}

// escapeHidden escapes Hidden characters in a document. The syntax of the document is ASCII.
func escapeHidden(document []byte, escape func(rune) string) []byte {
	if fits(document) {
		return document
	}
	var b bytes.Buffer
	for _, r := range string(document) {
		if Hidden(r) && r != '\n' && r != '\t' && r != '\r' {
			b.WriteString(escape(r))
		} else {
			b.WriteRune(r)
		}
	}
	return b.Bytes()
}

// YAML returns v as YAML, based on its JSON; strings with Hidden characters are quoted and escaped.
//
// sigs.k8s.io/yaml is not used, because it parses that JSON as YAML: it fails for some Hidden characters, such as DEL,
// and for keys of more than 1024 characters, and keeps bidirectional controls.
func YAML(v any) ([]byte, error) {
	var data bytes.Buffer
	if err := json.NewEncoder(&data).Encode(v); err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(&data)
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return nil, err
	}
	q := quoting{mark: "hcctl" + rand.Text()}
	marked, err := yaml.Marshal(q.visit(tree))
	if err != nil || len(q.pairs) == 0 {
		return marked, err
	}
	return []byte(strings.NewReplacer(q.pairs...).Replace(string(marked))), nil
}

// quoting replaces strings by placeholder words, which are replaced by the quoted strings in the finished YAML.
type quoting struct {
	mark  string
	pairs []string
}

func (q *quoting) visit(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) { // equal objects get equal texts
			out[q.text(key)] = q.visit(v[key])
		}
		return out
	case []any:
		for i := range v {
			v[i] = q.visit(v[i])
		}
	case json.Number:
		return number(v)
	case string:
		return q.text(v)
	}
	return v
}

// number returns an integer if possible, else a float.
func number(n json.Number) any {
	if whole, err := strconv.ParseInt(n.String(), 10, 64); err == nil {
		return whole
	}
	if whole, err := strconv.ParseUint(n.String(), 10, 64); err == nil {
		return whole
	}
	if floating, err := n.Float64(); err == nil {
		return floating
	}
	return n.String()
}

// text returns s, or a placeholder of the same length as the quoted string, because YAML writes long keys in another
// form.
func (q *quoting) text(s string) string {
	if fits([]byte(s)) {
		return s
	}
	quoted := yamlQuoted(s)
	word := fmt.Sprintf("%s-%d-", q.mark, len(q.pairs))
	word += strings.Repeat("x", max(0, len(quoted)-len(word)-1)) + "."
	q.pairs = append(q.pairs, word, quoted)
	return word
}

// yamlQuoted returns s in double quotes.
func yamlQuoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case !Hidden(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
