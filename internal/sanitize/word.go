package sanitize

import (
	"net"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hcctl/hcctl/internal/lazyregexp"
)

// plainWord matches words that no shell interprets.
var plainWord = lazyregexp.New(`^[A-Za-z0-9_@%+=:,./-]+$`)

// Word returns s quoted for a shell as one word: a POSIX shell, and on Windows cmd.exe and PowerShell.
func Word(s string) string { return wordOn(runtime.GOOS, s) }

var (
	// windowsPath matches words that neither cmd.exe nor PowerShell interprets, such as C:\a.
	windowsPath = lazyregexp.New(`^[A-Za-z0-9_@%+=:,./\\-]+$`)
	// windowsSpaced matches texts that both keep together within double quotes.
	windowsSpaced = lazyregexp.New(`^[A-Za-z0-9_@+=:,./\\ ()-]*[A-Za-z0-9)]$`)
)

func wordOn(system, s string) string {
	switch {
	case plainWord.MatchString(s), system == "windows" && windowsPath.MatchString(s):
		return s
	case system == "windows" && windowsSpaced.MatchString(s):
		return `"` + s + `"`
	case system == "windows": // only PowerShell has quotes that prevent all interpretation
		return "'" + strings.ReplaceAll(Line(s), "'", "''") + "'"
	}
	return "'" + strings.ReplaceAll(Line(s), "'", `'\''`) + "'"
}

// Visible reports whether s is one word whose characters are all visible: valid text, no white space, nothing Hidden.
func Visible(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return Hidden(r) || unicode.IsSpace(r) })
}

var (
	// hostName matches DNS names.
	hostName = lazyregexp.New(`^` + hostLabel + `(\.` + hostLabel + `)*\.?$`)
	// linkRest matches the allowed part after the host: no character that a shell or a terminal interprets.
	linkRest = lazyregexp.New(`^(/[A-Za-z0-9_.~/-]*)?$`)
)

// hostLabel matches a label of a DNS name.
const hostLabel = `[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?`

// maxHost is the maximum length of a DNS name.
const maxHost = 253

// Link reports whether s may be shown as a URL to open: https, a DNS name or IP address, optionally a port and a path,
// but no user, query or fragment.
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
	return len(host) <= maxHost && hostName.MatchString(host)
}
