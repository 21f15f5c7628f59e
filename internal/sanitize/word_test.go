package sanitize

import "testing"

func TestWord(t *testing.T) {
	for s, want := range map[string]string{
		"kv-00": "kv-00", "": "''", "a b": "'a b'", "$(id)": "'$(id)'", "it's": `'it'\''s'`, "a\nb": "'a b'",
		"quay.io/a/b@sha256:0": "quay.io/a/b@sha256:0", "~": "'~'",
		"x\x1b]0;t\a": `'x\x1b]0;t\a'`,
	} {
		if got := Word(s); got != want {
			t.Errorf("Word(%q) = %s, want %s", s, got, want)
		}
	}
}

func TestWordOnWindows(t *testing.T) {
	for s, want := range map[string]string{
		"kv-00": "kv-00", `C:\Users\a\config`: `C:\Users\a\config`, `.\own.yaml`: `.\own.yaml`,
		`C:\Users\Ann Lee\config`: `"C:\Users\Ann Lee\config"`, `C:\Program Files (x86)\a`: `"C:\Program Files (x86)\a"`,
		`C:\a b\`: `'C:\a b\'`, "$(id)": "'$(id)'", "it's": "'it''s'", "a&b": "'a&b'", "a\nb": `'a b'`, "": "''",
	} {
		if got := wordOn("windows", s); got != want {
			t.Errorf("on Windows %q is %s, not %s", s, got, want)
		}
	}
}

func TestVisible(t *testing.T) {
	for s, want := range map[string]bool{"abc-DEF_1$%": true, "ü": true, "a b": false, "a\n": false, "\x1b": false,
		"\xff": false, "a\u200bb": false, "a\u0085b": false, "a\u3000b": false} {
		if Visible(s) != want {
			t.Errorf("Visible(%q) is not %v", s, want)
		}
	}
}

func TestLink(t *testing.T) {
	for s, want := range map[string]bool{
		"https://console.apps.kv-00.example.com":     true,
		"https://10.0.0.1:6443":                      true,
		"https://[fd00::1]:6443/":                    true,
		"https://xn--bcher-kva.example/a/b-c_d":      true,
		"http://console.example.com":                 false,
		"HTTPS://console.example.com":                false,
		"javascript:alert(1)":                        false,
		"https://":                                   false,
		"https:///x":                                 false,
		"https://console.bank.example@evil.example":  false,
		"https://evil.example/?next=1":               false,
		"https://evil.example/#x":                    false,
		"https://evil.example/$(id)":                 false,
		"https://evil.example/\x1b]0;t":              false,
		"https://evil.example\nNext: curl":           false,
		"https://evil.example/a b":                   false,
		"https://evil.example:0":                     false,
		"https://evil.example:99999":                 false,
		"https://evil.example:":                      false,
		"https://büch.example":                       false,
		"https://evil\u202e.example":                 false,
		"https://evil.example;id":                    false,
		"https://-evil.example":                      false,
		"https://[::1%25eth0]":                       false,
		"https://[console.example.com]":              false,
		"https://console.example.com\\@evil.example": false,
		" https://console.example.com":               false,
		"https://evil.example/%0aNext":               false,
	} {
		if Link(s) != want {
			t.Errorf("Link(%q) is not %v", s, want)
		}
	}
}
