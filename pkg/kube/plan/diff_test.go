package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func fromYAML(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
		t.Fatal(err)
	}
	return u
}

// joined is a text of these lines.
func joined(lines []string) []byte {
	if len(lines) == 0 {
		return nil
	}
	return []byte(strings.Join(lines, "\n") + "\n")
}

func TestUnified(t *testing.T) {
	numbered := func(n int) []string {
		var out []string
		for i := 1; i <= n; i++ {
			out = append(out, fmt.Sprint(i))
		}
		return out
	}
	changed := numbered(20)
	changed[2], changed[18] = "three", "nineteen"
	near := numbered(20)
	near[2], near[9] = "three", "ten"
	for name, tc := range map[string]struct {
		before, after []string
		want          string
	}{
		"same": {numbered(3), numbered(3), ""},
		"new":  {nil, numbered(2), "@@ -0,0 +1,2 @@\n+1\n+2\n"},
		"gone": {numbered(2), nil, "@@ -1,2 +0,0 @@\n-1\n-2\n"},
		"far apart": {numbered(20), changed, "@@ -1,6 +1,6 @@\n 1\n 2\n-3\n+three\n 4\n 5\n 6\n@@ -16,5 +16,5 @@\n 16\n " +
			"17\n 18\n-19\n+nineteen\n 20\n"},
		"one hunk": {numbered(20), near, "@@ -1,13 +1,13 @@\n 1\n 2\n-3\n+three\n 4\n 5\n 6\n 7\n 8\n 9\n-10\n+ten\n 11\n " +
			"12\n 13\n"},
		"put in":     {[]string{"a", "c"}, []string{"a", "b", "c"}, "@@ -1,2 +1,3 @@\n a\n+b\n c\n"},
		"moved line": {[]string{"a", "b", "c"}, []string{"c", "a", "b"}, "@@ -1,3 +1,3 @@\n+c\n a\n b\n-c\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, unified(joined(tc.before), joined(tc.after))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUnifiedOfLongTextsIsBounded(t *testing.T) {
	var before, after []string
	for i := range 5000 {
		before, after = append(before, fmt.Sprint("b", i)), append(after, fmt.Sprint("a", i))
	}
	got := unified(joined(append(before, "end")), joined(append(after, "end")))
	if n := strings.Count(got, "\n"); n != 1+5000+5000+1 {
		t.Errorf("%d lines", n)
	}
}

func TestDiffLeavesOutWhatTheServerKeeps(t *testing.T) {
	before := fromYAML(t, `
apiVersion: v1
kind: ConfigMap
metadata:
  name: a
  namespace: b
  resourceVersion: "1"
  uid: x
  creationTimestamp: "2026-01-01T00:00:00Z"
  annotations: {kubectl.kubernetes.io/last-applied-configuration: old}
  managedFields: [{manager: someone}]
data: {key: old}
`)
	after := before.DeepCopy()
	after.SetResourceVersion("2")
	after.SetGeneration(2)
	after.SetAnnotations(nil)
	after.Object["status"] = map[string]any{"x": "y"}
	w := Write{Before: before, After: after}
	if got := w.Diff(); got != "" {
		t.Errorf("only the server's own fields differ, but the diff is\n%s", got)
	}
	after.Object["data"] = map[string]any{"key": "new"}
	want := "@@ -1,6 +1,6 @@\n apiVersion: v1\n data:\n-  key: old\n+  key: new\n kind: ConfigMap\n metadata:\n   name: a\n"
	if diff := cmp.Diff(want, w.Diff()); diff != "" {
		t.Error(diff)
	}
}

func TestDiffMasksSecrets(t *testing.T) {
	before := fromYAML(t, `
kind: Secret
metadata: {name: s, annotations: {a/token: hush, other: seen}}
type: Opaque
data: {same: aHVzaA==, other: aHVzaC1vbGQ=, gone: aHVzaA==}
`)
	after := fromYAML(t, `
kind: Secret
metadata: {name: s, annotations: {a/token: hush, other: seen}}
type: Opaque
data: {same: aHVzaA==, other: aHVzaC1uZXc=}
stringData: {new: hush}
`)
	want := `@@ -1,6 +1,5 @@
 data:
-  gone: '***'
-  other: '*** (before)'
+  other: '*** (after)'
   same: '***'
 kind: Secret
 metadata:
@@ -8,4 +7,6 @@
     a/token: '***'
     other: seen
   name: s
+stringData:
+  new: '***'
 type: Opaque
`
	if diff := cmp.Diff(want, Write{Before: before, After: after}.Diff()); diff != "" {
		t.Error(diff)
	}
}

func TestSecretsOutsideOfSecretsAreMasked(t *testing.T) {
	u := fromYAML(t, `
kind: ConfigMap
metadata: {name: c}
data:
  .dockerconfigjson: hush
  config: '{"auths":{"quay.io":{"auth":"hush"}}}'
  key: "-----BEGIN RSA PRIVATE KEY-----\nhush"
  token: hush
spec:
  pullSecret: named
  automountServiceAccountToken: true
  users: [{name: a, password: hush}]
`)
	manifest := Write{Sent: u}.Manifest()
	if strings.Contains(manifest, "hush") {
		t.Errorf("a secret is shown:\n%s", manifest)
	}
	for _, shown := range []string{"pullSecret: named", "automountServiceAccountToken: true", "name: a"} {
		if !strings.Contains(manifest, shown) {
			t.Errorf("%q is not shown:\n%s", shown, manifest)
		}
	}
	if !strings.Contains(u.Object["data"].(map[string]any)["token"].(string), "hush") {
		t.Error("masking changed the object itself")
	}
}
