package redact

import (
	"encoding/json"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/internal/sanitize"
)

// Patterns of a Secret in a manifest, or in a log line of a client that logs its requests. The line may be truncated.
var (
	secretManifest = lazyregexp.New(`(?m)^\s*(?:- )?kind:\s*["']?Secret["']?\s*$`)
	secretInLine   = lazyregexp.New(`\\*"kind\\*":\s*\\*"Secret(?:List)?\\*"`)
	contentInLine  = lazyregexp.New(`(\\*"(?:data|stringData)\\*":\s*)\{[^{}]*(?:\}|$)`)
)

// manifests returns s with the content of Secrets redacted.
func (r *Redactor) manifests(s string) string {
	if !strings.Contains(s, "Secret") {
		return s
	}
	if secretInLine.MatchString(s) {
		if whole, ok := r.json(s); ok {
			return whole
		}
		lines := strings.Split(s, "\n")
		for i, line := range lines {
			if secretInLine.MatchString(line) {
				lines[i] = contentInLine.ReplaceAllStringFunc(line, func(match string) string {
					return contentInLine.FindStringSubmatch(match)[1] + placeholder(len(match))
				})
			}
		}
		s = strings.Join(lines, "\n")
	}
	if !secretManifest.MatchString(s) {
		return s
	}
	documents := strings.Split(s, "\n---")
	for i, document := range documents {
		if secretManifest.MatchString(document) {
			documents[i] = r.manifest(document)
		}
	}
	return strings.Join(documents, "\n---")
}

// json redacts a document that is entirely JSON.
func (r *Redactor) json(s string) (string, bool) {
	u := &unstructured.Unstructured{}
	if json.Unmarshal([]byte(s), &u.Object) != nil {
		return "", false
	}
	data, err := json.Marshal(r.Object(u))
	return string(data), err == nil
}

// manifest redacts a YAML document with a Secret. A document that it cannot parse is replaced by a placeholder.
func (r *Redactor) manifest(s string) string {
	u := &unstructured.Unstructured{}
	if yaml.Unmarshal([]byte(s), &u.Object) != nil {
		return placeholder(len(s))
	}
	data, err := sanitize.YAML(r.Object(u))
	if err != nil {
		return placeholder(len(s))
	}
	return "\n" + string(data)
}

// blockBegin matches a YAML field whose value is the block below it.
var blockBegin = lazyregexp.New(`^(\s*(?:- )?)["']?([A-Za-z0-9_.-]+)["']?:[ \t]*[|>][-+0-9]*[ \t]*$`)

// blocks returns s with the YAML blocks of secret fields redacted.
func blocks(s string) string {
	if !strings.Contains(s, ": |") && !strings.Contains(s, ": >") {
		return s
	}
	var out []string
	hiddenIndent, hidden := -1, 0
	for _, line := range strings.Split(s, "\n") {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if hiddenIndent >= 0 && (indent > hiddenIndent || strings.TrimSpace(line) == "") {
			hidden += len(line)
			continue
		}
		if hiddenIndent >= 0 {
			out = append(out, strings.Repeat(" ", hiddenIndent+2)+placeholder(hidden))
			hiddenIndent, hidden = -1, 0
		}
		if m := blockBegin.FindStringSubmatch(line); m != nil && secretName(m[2]) {
			hiddenIndent = len(m[1])
		}
		out = append(out, line)
	}
	if hiddenIndent >= 0 {
		out = append(out, strings.Repeat(" ", hiddenIndent+2)+placeholder(hidden))
	}
	return strings.Join(out, "\n")
}
