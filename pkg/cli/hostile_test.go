package cli

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// repeat is a way in which a hostile server, or a webhook or proxy in front of a good one, repeats what it was sent.
type repeat = func(w http.ResponseWriter, r *http.Request, body []byte)

// credentialRepeats repeat the headers.
var credentialRepeats = map[string]repeat{
	"headers in a message": func(w http.ResponseWriter, r *http.Request, _ []byte) {
		refuse(w, http.StatusForbidden, metav1.StatusReasonForbidden, fmt.Sprintf("denied: %v", r.Header))
	},
	"the bare credential": func(w http.ResponseWriter, r *http.Request, _ []byte) {
		_, value, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		refuse(w, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "who is "+value+"? "+
			hex.EncodeToString([]byte(value)))
	},
	"the password of basic authentication": func(w http.ResponseWriter, r *http.Request, _ []byte) {
		_, password, _ := r.BasicAuth()
		refuse(w, http.StatusForbidden, metav1.StatusReasonForbidden, "no "+password+" here, "+url.QueryEscape(password))
	},
	"a warning": func(w http.ResponseWriter, r *http.Request, _ []byte) {
		w.Header().Set("Warning", fmt.Sprintf("299 - %q", r.Header.Get("Authorization")))
		refuse(w, http.StatusForbidden, metav1.StatusReasonForbidden, "no")
	},
	"plain text": func(w http.ResponseWriter, r *http.Request, body []byte) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprintf(w, "%s %v %s", r.URL, r.Header, body)
	},
}

// bodyRepeats repeat the body.
var bodyRepeats = map[string]repeat{
	"all": func(w http.ResponseWriter, r *http.Request, body []byte) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprintf(w, "%s %v %s", r.URL, r.Header, body)
	},
	"the body": func(w http.ResponseWriter, _ *http.Request, body []byte) {
		refuse(w, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "cannot take "+string(body))
	},
	"a part of the body": func(w http.ResponseWriter, _ *http.Request, body []byte) {
		if at := bytes.Index(body, []byte(`"data":{"`)); at > 0 {
			body = body[at+9:]
		}
		refuse(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, "cannot take <"+string(body[:min(len(body), 400)])+
			">")
	},
	"the body in base64": func(w http.ResponseWriter, _ *http.Request, body []byte) {
		refuse(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, "cannot take "+
			base64.StdEncoding.EncodeToString(body))
	},
}

func refuse(w http.ResponseWriter, code int32, reason metav1.StatusReason, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(int(code))
	_ = json.NewEncoder(w).Encode(metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure, Reason: reason, Code: code,
		Message: message,
		Details: &metav1.StatusDetails{Name: "x", Causes: []metav1.StatusCause{{Type: metav1.CauseTypeFieldValueInvalid,
			Message: message, Field: "spec"}}},
	})
}

// hostile repeats what it is sent, for every request that picked is true of. It takes other writes, and knows nothing
// besides.
func hostile(t *testing.T, say repeat, picked func(*http.Request) bool) *httptest.Server {
	t.Helper()
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case picked(r):
			say(w, r, body)
		case r.URL.Path == "/version":
			_, _ = io.WriteString(w, `{"gitVersion":"v1.33.5"}`)
		case r.Method != http.MethodGet:
			w.Header().Set("Content-Type", r.Header.Get("Content-Type"))
			_, _ = w.Write(body)
		default:
			refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound, "not found")
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// users are the ways in which a kubeconfig holds credentials, with a mark in them.
func users(t *testing.T, mark string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, content string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	token := write("token", mark+"-of-a-file\n", 0o600)
	exec := write("exec", `#!/bin/sh
printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s"}}' "$HUB_TOKEN-of-a-command"
`, 0o700)
	return map[string]string{
		"token":     `{token: ` + mark + `}`,
		"basic":     `{username: bob, password: "` + mark + `/@:&%"}`,
		"tokenFile": `{tokenFile: ` + token + `}`,
		"exec": `{exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: ` + exec +
			`, env: [{name: HUB_TOKEN, value: ` + mark + `}]}}`,
	}
}

func kubeconfigOf(t *testing.T, s *httptest.Server, user string) string {
	t.Helper()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	path := filepath.Join(t.TempDir(), "kubeconfig")
	content := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: a
contexts: [{name: a, context: {cluster: a, user: a}}]
clusters: [{name: a, cluster: {server: %q, certificate-authority-data: %s}}]
users: [{name: a, user: %s}]
`, s.URL, base64.StdEncoding.EncodeToString(ca), user)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// marked finds a mark in what came out: plainly, in base64 wherever it begins, hexadecimal, in a URL.
func marked(out, mark string) (form string, is bool) {
	forms := []string{mark, hex.EncodeToString([]byte(mark)), url.QueryEscape(mark)}
	for shift := range 3 {
		blob := base64.StdEncoding.EncodeToString(append(make([]byte, shift), mark...))
		forms = append(forms, blob[4*((shift+2)/3):4*((shift+len(mark))/3)])
	}
	for _, form := range forms {
		if strings.Contains(out, form) {
			return form, true
		}
	}
	return "", false
}

func TestCredentialsThatAServerRepeatsAreNotTold(t *testing.T) {
	few := [][]string{{"check", "-o", "json"}, {"get", "clusters", "-o", "yaml"}, {"status", "kv-00"}}
	all := append([][]string{
		{"check"}, {"check", "-o", "junit"}, {"get", "clusters"}, {"get", "nodepools", "-o", "json"},
		{"bootstrap", "--dry-run", "-o", "json"},
		{"create", "cluster", "--name", "kv-00", "--skip-preflight", "all", "--wait", "none"},
		{"delete", "cluster", "kv-00", "--yes"}, {"kubeconfig", "kv-00"},
		{"dump", "kv-00", "--artifact-dir", filepath.Join(t.TempDir(), "dump")},
	}, few...)
	everything := func(*http.Request) bool { return true }
	for what, say := range credentialRepeats {
		mark := "Zq7-" + strings.ReplaceAll(what, " ", "-")
		for kind, user := range users(t, mark) {
			commands := few
			if kind == "token" {
				commands = all
			}
			t.Run(what+"/"+kind, func(t *testing.T) {
				path := kubeconfigOf(t, hostile(t, say, everything), user)
				for _, args := range commands {
					toldNothing(t, mark, append(args, "--kubeconfig", path, "-vvvvvvvvvv"))
				}
			})
		}
	}
}

func TestSecretsThatAServerRepeatsAreNotTold(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const mark = "Zq8PlantedSecret"
	pull := write("pull.json", `{"auths":{"quay.io":{"auth":"`+base64.StdEncoding.EncodeToString([]byte("u:"+mark))+`"}}}`)
	manifest := write("m.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: more}\nstringData: {note: "+mark+
		"-of-a-manifest, other: 'x"+mark+"'}\n")
	for what, say := range bodyRepeats {
		// Secrets are sent one after another: the pull secret first, that of the manifest third.
		for _, which := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s, Secret %d", what, which), func(t *testing.T) {
				for _, more := range [][]string{{}, {"-o", "json"}, {"--dry-run", "-o", "yaml"}} {
					sent := 0
					path := kubeconfigOf(t, hostile(t, say, func(r *http.Request) bool {
						if r.Method != http.MethodGet && strings.HasSuffix(r.URL.Path, "/secrets") {
							sent++
						}
						return sent >= which && r.Method != http.MethodGet
					}), "{token: some-other-token}")
					// The server refuses again and again, until the time is up. A busy machine needs more of it.
					for _, limit := range []string{"1s", "10s", "60s"} {
						if sent >= which {
							break
						}
						toldNothing(t, mark, append([]string{
							"create", "cluster", "--name", "kv-00", "--skip-preflight", "all", "--wait", "none", "--yes", "--pull-secret",
							pull, "--manifests", manifest,
							"--http-proxy", "http://bob:" + mark + "@proxy.example:3128", "--release-image",
							"quay.io/ocp/release:4.20.3-x86_64", "--timeout", limit,
							"--kubeconfig", path, "-vvvvvvvvvv",
						}, more...))
					}
					if sent < which {
						t.Errorf("%v: only %d Secrets were sent", more, sent)
					}
				}
			})
		}
	}
}

// toldNothing runs hcctl against a server that refuses, and fails if the mark is in what it writes.
func toldNothing(t *testing.T, mark string, args []string) {
	t.Helper()
	code, out, errs := run(t, args...)
	if code == 0 {
		t.Errorf("hcctl %v: exit code 0, although the server refuses", args)
	}
	if form, is := marked(out+errs, mark); is {
		t.Errorf("hcctl %v: the secret is told as %s:\nstdout:\n%s\nstderr:\n%s", args, form, out, errs)
	}
}
