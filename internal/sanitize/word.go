package sanitize

import (
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plainWord is a word that no shell reads anything into.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// Word is s as it has to be typed in a shell to be one word and nothing else.
func Word(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(Line(s), "'", `'\''`) + "'"
}

// Visible tells whether s is one word that shows all it has: valid text, no white space, nothing Hidden.
func Visible(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return Hidden(r) || unicode.IsSpace(r) })
}

var (
	// hostName is a name of DNS, as certificates have it.
	hostName = regexp.MustCompile(`^` + hostLabel + `(\.` + hostLabel + `)*\.?$`)
	// linkRest is what may follow the host: nothing that a shell or a terminal reads anything into.
	linkRest = regexp.MustCompile(`^(/[A-Za-z0-9_.~/-]*)?$`)
)

// hostLabel is a part of such a name.
const hostLabel = `[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?`

// longestHost is DNS's own bound.
const longestHost = 253

// Link tells whether s may be shown as an address to open: https, the name or IP address of a host, perhaps a port and
// a path. An address with a user, a query or a fragment is none.
func Link(s string) bool {
	rest, https := strings.CutPrefix(s, "https://")
	if !https {
		return false
	}
	authority, path, _ := strings.Cut(rest, "/")
	if path != "" && !linkRest.MatchString("/"+path) {
		return false
	}
	u, err := url.Parse(s)
	if err != nil || u.User != nil || u.Host != authority || u.RawQuery != "" || u.Fragment != "" {
		return false
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return false
		}
	} else if strings.HasSuffix(authority, ":") {
		return false
	}
	host := u.Hostname()
	if strings.HasPrefix(authority, "[") {
		return net.ParseIP(host) != nil
	}
	return len(host) <= longestHost && hostName.MatchString(host)
}
