package audit

import (
	"os"
	"path/filepath"
	"testing"
)

const (
	list  = `{"auditID":"1","stage":"ResponseComplete","verb":"list","requestURI":"/api/v1/nodes?limit=500","user":{"username":"admin"},"userAgent":"hcctl/v1","objectRef":{"resource":"nodes","apiVersion":"v1"},"responseStatus":{"code":200}}` + "\n"
	begun = `{"auditID":"2","stage":"ResponseStarted","verb":"watch","requestURI":"/api/v1/nodes?watch=true","userAgent":"hcctl","objectRef":{"resource":"nodes"},"responseStatus":{"code":200}}` + "\n"
	over  = `{"auditID":"2","stage":"ResponseComplete","verb":"watch","requestURI":"/api/v1/nodes?watch=true","userAgent":"hcctl","objectRef":{"resource":"nodes"},"responseStatus":{"code":200}}` + "\n"
	other = `{"auditID":"3","stage":"ResponseComplete","verb":"patch","requestURI":"/api/v1/namespaces/a?dryRun=All","userAgent":"hcctl-sandbox/v1","responseStatus":{"code":409}}` + "\n"
)

// A watch is one request, what was there before does not count, half a line is not lost, and a program is known by its
// whole name.
func TestLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	put := func(text string) {
		t.Helper()
		file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = file.WriteString(text)
		}
		if err == nil {
			err = file.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	put(list)
	log, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	next := func() []Request {
		t.Helper()
		got, err := log.Next()
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := next(); len(got) != 0 {
		t.Errorf("before anything was asked: %v", got)
	}
	put(begun + other[:20])
	if got := next(); len(got) != 1 || got[0].Verb != "watch" || got[0].Resource != "nodes" {
		t.Errorf("a watch: %v", got)
	}
	put(other[20:] + over)
	got := next()
	if len(got) != 1 || !got[0].DryRun() || got[0].Code != 409 {
		t.Errorf("a dry run: %v", got)
	}
	if mine := By("hcctl", got); len(mine) != 0 {
		t.Errorf("taken for hcctl's: %v", mine)
	}
	put(`{"auditID":"4","userAgent":"hcctl/v1.2"}` + "\n")
	if mine := By("hcctl", next()); len(mine) != 1 {
		t.Errorf("hcctl's own: %v", mine)
	}
}
