package redact

import (
	"strings"
	"testing"
)

func TestMessageHidesWhatAnAnswerRepeats(t *testing.T) {
	for name, s := range map[string]string{
		"a request that is echoed": `an error on the server ("{\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"data\":{\"a\":\"` +
			b64(mark) + `\"}}") has prevented the request from succeeding`,
		"one that is cut off": `the server said {"kind":"Secret","data":{"a":"` + mark,
		"a proxy":             `parse "http://bob:` + mark + `@proxy:x": invalid port ":x" after host`,
		"a header":            `bad header Authorization: Bearer ` + mark,
		"a header in JSON":    `{"Authorization":["Bearer ` + mark + `"]}`,
		"a field":             `cannot take {"user":"u","clientSecret":"` + mark + `"}`,
		"a key":               "cannot read " + pem,
		"a token":             "token eyJhbGciOiJSUzI1NiJ9." + mark + "." + mark + " has expired",
	} {
		t.Run(name, func(t *testing.T) { hidden(t, Message(s)) })
	}
}

func TestMessageLeavesSentences(t *testing.T) {
	for _, s := range []string{
		`Secret clusters/kv-00-pull-secret: not found`, `--pull-secret: the pull secret is empty`, "the digest differs; a " +
			"basic installation is needed",
		`https://api.example:6443 does not accept the credentials: they are wrong or have expired`, "first line\nsecond line",
	} {
		if got := Message(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
	if got := Message("a\x1b[2Jb\rc\u009bd"); strings.ContainsAny(got, "\x1b\r\u009b") ||
		!strings.Contains(got, `\x1b[2Jb\rc`) {
		t.Errorf("got %q", got)
	}
}
