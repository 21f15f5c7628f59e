package contracts

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Facets are what a table says of one field besides its type. Pointers are nil where it says nothing.
type Facets struct {
	Required, Nullable bool
	// PreserveUnknown, IntOrString and Embedded are the x-kubernetes extensions of the same names.
	PreserveUnknown, IntOrString, Embedded bool
	// Enum has the allowed values as the table writes them.
	Enum []string
	// Default is JSON: the API server fills it in.
	Default         json.RawMessage
	Pattern, Format string
	// MinLength to MaxProperties, and Minimum and Maximum, are bounds.
	MinLength, MaxLength, MinItems, MaxItems, MinProperties, MaxProperties *int64
	Minimum, Maximum                                                       *float64
	// ListType is "", set or map; ListKeys are the keys of a map.
	ListType string
	ListKeys []string
	// Rules are validation rules in CEL.
	Rules []string
	// Items are the facets of a list's elements, or nil.
	Items *Facets
}

// parseFacets reads the third column of a table. It fails for a word that it does not know.
func parseFacets(text string) (Facets, error) {
	var f Facets
	for rest := strings.TrimSpace(text); rest != ""; rest = strings.TrimSpace(rest) {
		var err error
		if rest, err = f.next(rest); err != nil {
			return Facets{}, fmt.Errorf("%q: %w", text, err)
		}
	}
	return f, nil
}

// next reads one facet and returns the rest.
func (f *Facets) next(text string) (string, error) {
	switch {
	case strings.HasPrefix(text, "default="):
		return f.readDefault(strings.TrimPrefix(text, "default="))
	case strings.HasPrefix(text, "CEL:"):
		return f.readRule(strings.TrimPrefix(text, "CEL:"))
	case strings.HasPrefix(text, "items:{"):
		end := strings.LastIndex(text, "}")
		if list := strings.Index(text, "} CEL:"); list >= 0 {
			end = list // rules of the list follow, which may have brackets
		}
		if end < 0 {
			return "", fmt.Errorf("items without an end")
		}
		items, err := parseFacets(text[len("items:{"):end])
		if err != nil {
			return "", err
		}
		f.Items = &items
		return text[end+1:], nil
	}
	word, rest, _ := strings.Cut(text, " ")
	return rest, f.read(word)
}

// readDefault reads one JSON value; strings in it may have spaces.
func (f *Facets) readDefault(text string) (string, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	if err := decoder.Decode(&f.Default); err != nil {
		return "", fmt.Errorf("default: %w", err)
	}
	return text[decoder.InputOffset():], nil
}

// readRule reads up to the next rule or the end: rules come last.
func (f *Facets) readRule(text string) (string, error) {
	rule, rest, more := strings.Cut(text, " CEL:")
	f.Rules = append(f.Rules, strings.TrimSpace(rule))
	if more {
		return "CEL:" + rest, nil
	}
	return "", nil
}

// read reads a facet without spaces in it.
func (f *Facets) read(word string) error {
	flags := map[string]*bool{
		"required": &f.Required, "nullable": &f.Nullable, "preserve-unknown": &f.PreserveUnknown,
		"int-or-string": &f.IntOrString, "embedded-resource": &f.Embedded,
	}
	if flag, ok := flags[word]; ok {
		*flag = true
		return nil
	}
	key, value, ok := strings.Cut(word, "=")
	if !ok {
		return fmt.Errorf("unknown facet %q", word)
	}
	var err error
	switch key {
	case "enum":
		for _, v := range strings.Split(value, "|") {
			f.Enum = append(f.Enum, strings.ReplaceAll(v, `""`, ""))
		}
	case "pattern":
		f.Pattern = value
	case "format":
		f.Format = value
	case "minLength":
		f.MinLength, err = wholeNumber(value)
	case "maxLength":
		f.MaxLength, err = wholeNumber(value)
	case "minItems":
		f.MinItems, err = wholeNumber(value)
	case "maxItems":
		f.MaxItems, err = wholeNumber(value)
	case "minProperties":
		f.MinProperties, err = wholeNumber(value)
	case "maxProperties":
		f.MaxProperties, err = wholeNumber(value)
	case "minimum":
		f.Minimum, err = number(value)
	case "maximum":
		f.Maximum, err = number(value)
	case "list":
		f.ListType, f.ListKeys = readList(value)
		if !slices.Contains([]string{"set", "map"}, f.ListType) {
			err = fmt.Errorf("unknown list type %q", value)
		}
	default:
		err = fmt.Errorf("unknown facet %q", word)
	}
	return err
}

// readList reads set, or map(KEY,KEY).
func readList(text string) (string, []string) {
	kind, keys, ok := strings.Cut(strings.TrimSuffix(text, ")"), "(")
	if !ok {
		return kind, nil
	}
	return kind, strings.Split(keys, ",")
}

func wholeNumber(text string) (*int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	return &n, err
}

func number(text string) (*float64, error) {
	n, err := strconv.ParseFloat(text, 64)
	return &n, err
}
