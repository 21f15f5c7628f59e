package cmdutil

import (
	"fmt"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/hostedcluster/status"
)

// Text is a text for a user with hcctl's own line breaks. Textf, Row, Lines and Link make one.
type Text string

// Textf formats values for a user. It makes each value one line without secrets and control characters, and
// joins lists with commas; only a Text keeps its line breaks.
func Textf(format string, args ...any) Text {
	fitting := make([]any, 0, len(args))
	for _, arg := range args {
		fitting = append(fitting, fit(arg))
	}
	return Text(fmt.Sprintf(format, fitting...))
}

// fit returns a value as one line.
func fit(arg any) any {
	switch v := arg.(type) {
	case Text:
		return string(v)
	case []string:
		values := make([]string, 0, len(v))
		for _, s := range v {
			values = append(values, value(s))
		}
		return strings.Join(values, ", ")
	case string:
		return value(v)
	}
	switch reflect.ValueOf(arg).Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint,
		reflect.Uint8, reflect.Uint16, reflect.Uint32,
		reflect.Uint64, reflect.Float32, reflect.Float64:
		return arg // a number or a bool, which the format prints
	default:
		return value(fmt.Sprint(arg))
	}
}

// value returns a string on one line and without secrets.
func value(s string) string { return sanitize.Value(redact.Secrets(s)) }

// Row is a line of a table without secrets and control characters. It keeps its spaces.
func Row(line string) Text { return Text(sanitize.Line(redact.Secrets(line))) }

// Lines joins texts as lines.
func Lines(of ...Text) Text {
	var all strings.Builder
	for i, line := range of {
		if i > 0 {
			all.WriteByte('\n')
		}
		all.WriteString(string(line))
	}
	return Text(all.String())
}

// UpperFirst returns the text with an upper-case first letter.
func UpperFirst(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if size == 0 || r == utf8.RuneError {
		return s
	}
	return string(unicode.ToUpper(r)) + s[size:]
}

var (
	// versionForm matches versions of OpenShift and Kubernetes, channelForm the update channels of any update
	// service.
	versionForm = lazyregexp.New(`^v?\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]{1,64})?$`)
	channelForm = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)
)

// ShownVersion returns a version that a cluster reports, or a text that says that it is invalid. Empty stays
// empty.
func ShownVersion(version string) string { return shownAs(versionForm, version, "version") }

// ShownChannel returns an update channel that a cluster reports, or a text that says that it is invalid. Empty
// stays empty.
func ShownChannel(channel string) string { return shownAs(channelForm, channel, "channel") }

// maxShownChars limits an invalid value, in characters.
const maxShownChars = 80

func shownAs(form *lazyregexp.Regexp, s, what string) string {
	if s == "" || form.MatchString(s) {
		return s
	}
	s = value(s)
	if runes := []rune(s); len(runes) > maxShownChars {
		s = string(runes[:maxShownChars]) + "…"
	}
	return fmt.Sprintf("(not a valid %s: %s)", what, s)
}

// Link returns an address to open. It marks an invalid one, so that no user opens it.
func Link(address string) Text {
	if sanitize.Link(address) {
		return Text(address)
	}
	return Textf("not valid (it is not an https address of a host): %s", address)
}

// Notes returns remarks as lines that begin with "Note: ".
func Notes(notes []string) []Text {
	all := make([]Text, 0, len(notes)+1)
	for _, n := range notes {
		all = append(all, Textf("Note: %s", n))
	}
	return all
}

// NoneFound returns the message that nothing was found, and where.
func NoneFound(q status.Query) string {
	where := "any namespace"
	if q.Namespace != "" {
		where = "namespace " + q.Namespace
	}
	of := ""
	if q.Cluster != "" {
		of = " of hosted cluster " + q.Cluster
	}
	with := ""
	if q.Selector != nil {
		with = fmt.Sprintf(" with labels %s", strings.ReplaceAll(q.Selector.String(), ",", ", "))
	}
	if q.OlderThan > 0 {
		with += fmt.Sprintf(" older than %s", q.OlderThan)
	}
	if q.Marked != nil {
		with += " that have expired"
	}
	return fmt.Sprintf("No %s%s in %s%s.", q.Resource.Nouns(), of, where, with)
}
