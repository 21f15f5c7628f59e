package exporter

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/internal/sanitize"
)

// other stands for a label that does not look as it should, and for those beyond a limit.
const other = "other"

const (
	// maxName is that of an object.
	maxName = 253
	// maxReasons is how many distinct reasons of conditions one process shows. The operators have about a hundred.
	maxReasons = 200
	// maxLabels is how many labels of hosted clusters may be asked for.
	maxLabels = 10
)

// The forms of labels. They are parsed when they are needed, as most commands need none.
var (
	// word is the form of condition types and reasons.
	word = lazyregexp.New(`^[A-Za-z][A-Za-z0-9_,:]{0,63}$`)
	// versionForm is that of a release, such as 4.20.3 or 4.21.0-0.nightly-2026-11-20-081500.
	versionForm = lazyregexp.New(`^[0-9A-Za-z][0-9A-Za-z.+_-]{0,63}$`)
	// notLabel is what the name of a label of Prometheus cannot have.
	notLabel = lazyregexp.New(`[^a-zA-Z0-9_]`)
)

// bounded is a name of an object, or the value of a label, without characters that do not show.
func bounded(name string) string {
	name = sanitize.Line(strings.ToValidUTF8(name, "�"))
	if len(name) > maxName {
		return strings.ToValidUTF8(name[:maxName], "")
	}
	return name
}

// shaped is the text if it has the form, nothing for nothing, and other for all else.
func shaped(form *lazyregexp.Regexp, text string) string {
	if text == "" || form.MatchString(text) {
		return text
	}
	return other
}

// reason bounds the reason of a condition, and how many there are.
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

// labelNames are the labels that Options.Labels asks for, as Prometheus writes them. It fails on names that are no
// labels, on too many, and on two that would be the same.
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
