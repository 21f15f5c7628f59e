package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// tokenLike is what a fuzzer's secret has to be to stand in all the forms.
var tokenLike = regexp.MustCompile(`^[A-Za-z0-9]{12,60}$`)

// hiding are the forms in which a secret is known by what stands around it.
func hiding() map[string]string {
	return map[string]string{
		"name=value": "password=%s", "YAML": "  clientSecret: %s", "JSON": `{"token":"%s"}`,
		"JSON in JSON": `{"m":"{\"password\":\"%s\"}"}`,
		"header":       "Authorization: Bearer %s", "URL": "https://user:%s@host/path", "flag": "/bin/x --api-token %s",
		"variable":      "export DB_PASSWORD='%s'",
		"key":           "-----BEGIN PRIVATE KEY-----\n%s\n-----END PRIVATE KEY-----",
		"Secret's line": `I0101 Body: {"kind":"Secret","data":{"x":"%s"}}`,
		"cut off":       `I0101 Body: {"kind":"Secret","data":{"a":"b","x":"%s`,
		"Secret":        "kind: Secret\nstringData:\n  x: %s\n",
	}
}

// FuzzRedactText: a secret in any of the forms is taken out, whatever stands in the lines around it; twice is as once.
func FuzzRedactText(f *testing.F) {
	f.Add("I0101 started", "abcDEF123456", "done")
	f.Add("kind: Secret\ndata: |", "zzzzzzzzzzzz", "  more: 1\n---")
	f.Add("password: |\n  x", "aaaaaaaaaaaa1", "\"'\\")
	f.Fuzz(func(t *testing.T, before, secret, after string) {
		if !tokenLike.MatchString(secret) || len(before)+len(after) > 4096 {
			return
		}
		for name, form := range hiding() {
			text := before + "\n" + fmt.Sprintf(form, secret) + "\n" + after
			if strings.Count(text, secret) > 1 || strings.Contains(strings.ReplaceAll(form, "%s", ""), secret) {
				continue // it stands elsewhere too, where nothing tells that it is one
			}
			got := (&Redactor{}).Text(text)
			if strings.Contains(got, secret) {
				t.Fatalf("%s: %q became %q", name, text, got)
			}
		}
	})
}

// FuzzKnown: what a Secret holds is found wherever it turns up, plainly, in base64 wherever that begins, in a URL, in
// JSON.
func FuzzKnown(f *testing.F) {
	f.Add("p@ss w/\"rd\\1", "log ", " end")
	f.Add("abcdefgh12345678", "", "x")
	f.Add("line one\nline 2 two\n", "a", "b")
	f.Fuzz(func(t *testing.T, secret, before, after string) {
		value := strings.TrimSpace(secret)
		if len(value) < minKnown+4 || len(value) > 100 || likeName.MatchString(value) || partOfNotice(value) {
			return
		}
		r := &Redactor{}
		r.Learn(map[string][]byte{"odd": []byte(secret)})
		quotedValue, _ := json.Marshal(value)
		escaped := strings.Trim(string(quotedValue), `"`)
		for name, form := range map[string]string{
			"plain": value, "base64": base64.StdEncoding.EncodeToString([]byte(value)), "URL": url.QueryEscape(
				value), "JSON": escaped, "hex": hex.EncodeToString([]byte(value)),
		} {
			if strings.Contains(before+after, form) {
				continue
			}
			if got := r.Text(before + form + after); strings.Contains(got, form) {
				t.Fatalf("%s: %q has %q", name, got, form)
			}
		}
		for shift := range 3 {
			blob := base64.StdEncoding.EncodeToString([]byte("abc"[:shift] + value + "xyz"))
			// The characters that are made of the value alone.
			middle := blob[4*((shift+2)/3) : 4*((shift+len(value))/3)]
			if got := r.Text("blob " + blob + " end"); len(middle) > 8 && strings.Contains(got, middle) {
				t.Fatalf("base64 shifted by %d: %q has %q", shift, got, middle)
			}
		}
	})
}

// planting puts a mark into every value of which an object's form says that it is secret.
type planting struct{ mark string }

// value is v with the mark; named is whether it stands under a name of a secret, content whether in the content of one.
func (p planting) value(v any, named, content bool) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		name, _ := v["name"].(string)
		for key, inner := range v {
			below := content || key == "binaryData" || v["kind"] == "Secret" && (key == "data" || key == "stringData")
			out[key] = p.value(inner, secretName(key) || key == "value" && secretName(name), below)
		}
		return out
	case []any:
		out := make([]any, 0, len(v))
		for _, inner := range v {
			out = append(out, p.value(inner, named, content))
		}
		return out
	case string:
		if (named || content) && !reference(v) && v != "" {
			return p.mark
		}
	case float64:
		if named || content {
			return float64(76543212345678)
		}
	}
	return v
}

// FuzzRedactObject: of any object, nothing stays that stands under a name of a secret or in a Secret; twice is as once.
func FuzzRedactObject(f *testing.F) {
	f.Add([]byte(`{"kind":"Secret","data":{"a":"eA=="},"stringData":{"b":"x"}}`))
	f.Add(
		[]byte(
			`{"kind":"Deployment","spec":{"containers":[{"env":[{"name":"DB_PASSWORD","value":"x"}],"args":["--token",` +
				`"x","--password=y"]}]}}`))
	f.Add([]byte(`{"kind":"ConfigMap","data":{"config":"password: x"},"binaryData":{"a":"eA=="}}`))
	f.Add(
		[]byte(
			`{"kind":"X","spec":{"password":12345678,"tokens":["a","b"],"token":["x",{"y":"z"}],` +
				`"credentials":{"a":{"b":"c"}},"secret":{"name":"n"}}}`))
	f.Add([]byte(`{"kind":"List","items":[{"kind":"Secret","data":[{"x":"y"}]},{"kind":"Secret","data":"x"}]}`))
	f.Add(
		[]byte(
			`{"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"kind\":\"Secret\",` +
				`\"data\":{\"a\":\"b\"}}"},"managedFields":[1]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var object map[string]any
		if json.Unmarshal(data, &object) != nil || len(data) > 4096 || strings.Contains(string(data), "Zq7hunter2") {
			return
		}
		planted, _ := planting{"Zq7hunter2"}.value(object, false, false).(map[string]any)
		r := &Redactor{}
		once := r.Object(&unstructured.Unstructured{Object: planted})
		text, err := json.Marshal(once)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "Zq7hunter2") || strings.Contains(string(text), "76543212345678") ||
			strings.Contains(string(text), "7.6543212345678e") {
			t.Fatalf("of %s there is left %s", data, text)
		}
		if twice := r.Object(&unstructured.Unstructured{Object: once}); !reflect.DeepEqual(keys(once), keys(twice)) {
			t.Fatalf("%v became %v", once, twice)
		}
	})
}

// keys is an object without its values.
func keys(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, inner := range v {
			out[key] = keys(inner)
		}
		return out
	case []any:
		out := make([]any, 0, len(v))
		for _, inner := range v {
			out = append(out, keys(inner))
		}
		return out
	}
	return nil
}

// partOfNotice reports whether a value stands in what redaction itself writes.
func partOfNotice(value string) bool {
	const notice = "<redacted: 0123456789 bytes>"
	return strings.Contains(notice, value)
}
