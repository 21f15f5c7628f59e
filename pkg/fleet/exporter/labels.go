package exporter

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/internal/sanitize"
)

// other replaces label values that do not have a valid form, and values beyond a limit.
const other = "other"

const (
	// maxName limits the length of an object's name, in bytes.
	maxName = 253
	// maxReasons limits the distinct reasons of conditions that one process exports. The operators have about a
	// hundred.
	maxReasons = 200
	// maxLabels limits the labels of hosted clusters to export.
	maxLabels = 10
)

// Forms of label values. They are compiled on first use, because most commands need none.
var (
	// word matches condition types and reasons.
	word = lazyregexp.New(`^[A-Za-z][A-Za-z0-9_,:]{0,63}$`)
	// versionForm matches a release, such as 4.20.3 or 4.21.0-0.nightly-2026-11-20-081500.
	versionForm = lazyregexp.New(`^[0-9A-Za-z][0-9A-Za-z.+_-]{0,63}$`)
	// notLabel matches a character that the name of a Prometheus label cannot have.
	notLabel = lazyregexp.New(`[^a-zA-Z0-9_]`)
)

// bounded returns an object's name or a label's value without invisible characters, at most maxName bytes long.
func bounded(name string) string {
	name = sanitize.Line(strings.ToValidUTF8(name, "�"))
	if len(name) > maxName {
		return strings.ToValidUTF8(name[:maxName], "")
	}
	return name
}

// shaped returns a text that is empty or has the form, and other for any other text.
func shaped(form *lazyregexp.Regexp, text string) string {
	if text == "" || form.MatchString(text) {
		return text
	}
	return other
}

// reason limits the form of a condition's reason, and the number of distinct reasons.
func (f *Fleet) reason(text string) string {
	text = shaped(word, text)
	if !f.reasons[text] {
		if len(f.reasons) >= maxReasons {
			return other
		}
		f.reasons[text] = true
	}
	return text
}

// labelNames returns the names of the Prometheus labels for Options.Labels. It returns an error for invalid
// names, for too many, and for two with the same result.
func labelNames(labels []string) ([]string, error) {
	if len(labels) > maxLabels {
		return nil, fmt.Errorf("%d labels: at most %d are taken", len(labels), maxLabels)
	}
	names, from := make([]string, len(labels)), map[string]string{}
	for i, label := range labels {
		if problems := validation.IsQualifiedName(label); len(problems) > 0 {
			return nil, fmt.Errorf("%q is not the name of a label, such as env", label)
		}
		names[i] = "label_" + notLabel.ReplaceAllString(label, "_")
		if before, twice := from[names[i]]; twice {
			return nil, fmt.Errorf("%s and %s: both would be %s", before, label, names[i])
		}
		from[names[i]] = label
	}
	return names, nil
}
