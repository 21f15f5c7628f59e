package gotemplate_test

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"
	"text/template"

	"github.com/hcctl/hcctl/pkg/cli/internal/gotemplate"
)

// document is what kubectl would give a template.
func document() map[string]any {
	return map[string]any{"kind": "List", "items": []any{
		map[string]any{"metadata": map[string]any{"name": "kv-00", "labels": map[string]any{"b": "2", "a": "1"}},
			"spec": map[string]any{"replicas": int64(2), "ratio": 1.5, "on": true, "none": nil, "data": "aGNjdGw="}},
		map[string]any{"metadata": map[string]any{"name": "kv-01 <&'\">"}, "spec": map[string]any{"replicas": int64(0)}},
	}}
}

// TestAsTextTemplate compares what comes out with text/template's own evaluation.
func TestAsTextTemplate(t *testing.T) {
	for _, text := range []string{
		`plain`, `{{.kind}}`, `{{.no}} {{.no.such}}`, `{{.items}}`, `{{/* a comment */}}x`,
		`{{range .items}}{{.metadata.name}}{{"\n"}}{{end}}`,
		`{{range $i, $e := .items}}{{$i}}={{$e.metadata.name}} {{$.kind}};{{end}}`,
		`{{range $e := .items}}{{$e.spec.replicas}}{{else}}none{{end}}{{range .no}}x{{else}}none{{end}}`,
		`{{range $k, $v := (index .items 0).metadata.labels}}{{$k}}={{$v}},{{end}}`,
		`{{with .items}}{{len .}}{{end}}{{with .no}}x{{else with .kind}}{{.}}{{else}}no{{end}}`,
		`{{if .no}}a{{else if eq .kind "List" "X"}}b{{else}}c{{end}}`,
		`{{if and .kind (not .no) (or .no .items)}}yes{{end}}{{or .no 0 "last"}}{{and 1 "" .no.x}}`,
		`{{$n := 0}}{{range .items}}{{$n = .spec.replicas}}{{end}}{{$n}}`,
		`{{range .items}}{{if eq .metadata.name "kv-00"}}{{continue}}{{end}}{{.metadata.name}}{{break}}{{end}}`,
		`{{define "row"}}<{{.metadata.name}}{{$}}>{{end}}{{range .items}}{{template "row" .}}{{end}}`,
		`{{block "x" .kind}}[{{.}}]{{end}}`,
		`{{printf "%-8s|%5.2f|%v" .kind 1.5 true}}{{print 1 2 "x" .kind}}{{println .kind}}`,
		`{{index .items 1 "metadata" "name" | html}} {{.kind | printf "%q"}} {{js "a'b<"}} {{urlquery "a b&c"}}`,
		`{{slice .kind 1 3}}{{slice .kind 2}}{{len .kind}}{{len .items}}{{len (index .items 0)}}`,
		`{{eq 1 1}}{{ne "a" "b"}}{{lt 1 2}}{{le 2 2}}{{gt 1.5 2.5}}{{ge "b" "a"}}{{eq true false}}`,
		`{{(index .items 0).spec.ratio}} {{(index .items 0).spec.on}} {{(index .items 0).spec.none}}`,
		`a {{- .kind -}} b`, `{{range 3}}{{.}}{{end}}`, `{{not .no}}{{nil | print}}`,
		`{{base64decode (index .items 0).spec.data}}`,
		`{{exists .items 0 "spec" "on"}}{{exists .items 5}}{{exists . "no" "x"}}`,
		// wrong
		`{{.kind.x}}`, `{{index .items 7}}`, `{{index .kind "a"}}`, `{{len 3}}`, `{{lt 1 "a"}}`, `{{slice .kind 9}}`,
		`{{range .kind.x}}{{end}}`,
		`{{template "none"}}`, `{{define "a"}}{{template "a"}}{{end}}{{template "a"}}`, `{{base64decode "%"}}`, `{{.kind 1}}`,
		`{{`, `{{end}}`, `{{nofunc}}`, `{{$x}}`, `{{range true}}{{end}}`, `{{not}}`, `{{printf}}`, `{{eq 1}}`,
	} {
		want, wantErr := standard(text)
		var got bytes.Buffer
		parsed, err := gotemplate.Parse(text)
		if err == nil {
			err = parsed.Execute(&got, document())
		}
		if (err != nil) != (wantErr != nil) {
			t.Errorf("%s: %v, want %v", text, err, wantErr)
		}
		if err == nil && got.String() != want {
			t.Errorf("%s: got %q, want %q", text, got.String(), want)
		}
	}
}

// standard is what text/template makes of it, with kubectl's functions.
func standard(text string) (string, error) {
	exists := func(item any, at ...any) bool {
		for _, i := range at {
			switch v := item.(type) {
			case map[string]any:
				item = v[i.(string)]
			case []any:
				if i.(int) >= len(v) {
					return false
				}
				item = v[i.(int)]
			default:
				return false
			}
		}
		return item != nil
	}
	parsed, err := template.New("template").Funcs(template.FuncMap{"exists": exists,
		"base64decode": func(s string) (string, error) {
			data, err := base64.StdEncoding.DecodeString(s)
			return string(data), err
		}}).Parse(text)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = parsed.Execute(&out, document())
	return out.String(), err
}

func FuzzTemplate(f *testing.F) {
	for _, text := range []string{`{{.kind}}`, `{{range .items}}{{.metadata.name}}{{end}}`, `{{index .items 0 | len}}`} {
		f.Add(text)
	}
	f.Fuzz(func(_ *testing.T, text string) {
		if strings.Contains(text, "range") {
			return // {{range 1000000000}} takes as long as it says
		}
		if parsed, err := gotemplate.Parse(text); err == nil {
			_ = parsed.Execute(new(bytes.Buffer), document())
		}
	})
}
