package cmdutil

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/internal/sanitize"
)

// Text is words for a person that hcctl has put together itself: its line breaks are hcctl's own. Make one with textf
// only.
type Text string

// Textf puts values into words. Each is one line without secrets and control characters, whoever wrote it; a list of
// strings is its values with commas between them. Only another text keeps its lines.
func Textf(format string, args ...any) Text {
	fitting := make([]any, 0, len(args))
	for _, arg := range args {
		fitting = append(fitting, fit(arg))
	}
	return Text(fmt.Sprintf(format, fitting...))
}

// fit is a value as it may stand in a line.
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
		return arg // a number, whose form the format says
	default:
		return value(fmt.Sprint(arg))
	}
}

// value is one value without secrets, on one line.
func value(s string) string { return sanitize.Value(redact.Secrets(s)) }

// Lines is several lines of words.
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

// UpperFirst begins a sentence. A text that is empty stays so.
func UpperFirst(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if size == 0 || r == utf8.RuneError {
		return s
	}
	return string(unicode.ToUpper(r)) + s[size:]
}

var (
	// versionForm is that of OpenShift's and Kubernetes' versions, channelForm that of channels, whatever update service
	// has them.
	versionForm = regexp.MustCompile(`^v?\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]{1,64})?$`)
	channelForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)
)

// ShownVersion is a version that a cluster tells, and words where it is none; empty stays empty.
func ShownVersion(version string) string { return shownAs(versionForm, version, "version") }

// ShownChannel is an update channel that a cluster tells, and words where it is none; empty stays empty.
func ShownChannel(channel string) string { return shownAs(channelForm, channel, "channel") }

// shortest is enough of a value that is not what it should be.
const shortest = 80

func shownAs(form *regexp.Regexp, s, what string) string {
	if s == "" || form.MatchString(s) {
		return s
	}
	s = value(s)
	if runes := []rune(s); len(runes) > shortest {
		s = string(runes[:shortest]) + "…"
	}
	return fmt.Sprintf("(not a valid %s: %s)", what, s)
}

// Link is an address to open; what is none is said to be none, and cannot be opened by accident.
func Link(address string) Text {
	if sanitize.Link(address) {
		return Text(address)
	}
	return Textf("not valid (it is no https address of a host): %s", address)
}
