package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/hack/internal/measuring"
)

// renderFiles returns the files that the examples of flags name.
func renderFiles() map[string]string {
	return map[string]string{ //nolint:gosec // made up
		"pull-secret.json": `{"auths":{"quay.io":{"auth":"dXNlcjpwYXNz"},"registry.redhat.io":{"auth":"dXNlcjpwYXNz"}}}`,
		"id.pub":           "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE+jx4vLdQ5U0LlZgQq5nJQqN4M3bQmZ1Yt0w7Hn6mQk me@example\n",
		"mirrors.yaml":     "- source: quay.io/openshift-release-dev\n  mirrors: [registry.example/openshift]\n",
		"kubeconfig": `{"apiVersion":"v1","kind":"Config","current-context":"a",` +
			`"clusters":[{"name":"a","cluster":{"server":"https://192.0.2.1:6443"}}],` +
			`"contexts":[{"name":"a","context":{"cluster":"a","user":"a"}}],"users":[{"name":"a","user":{"token":"t"}}]}`,
	}
}

// certificate returns the certificate of an authority, in PEM.
func certificate() (string, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", err
	}
	t := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, t, t, key.Public(), key)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), err
}

// writeExamples writes the files into a directory.
func writeExamples(dir string) error {
	files := renderFiles()
	var err error
	if files["ca.pem"], err = certificate(); err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// render compares the output of both programs for the same flags, and their time and memory.
func (c *comparison) render(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "hcctl-comparison")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	if err := writeExamples(dir); err != nil {
		return err
	}
	differences, compared, err := c.renderDifferences(ctx, dir)
	if err != nil {
		return err
	}
	c.facts = append(c.facts, fact{"render", fmt.Sprintf("%d flags, one at a time: those with which objects differ",
		compared),
		hcp, strconv.Itoa(len(differences) - 1), "-"})
	for _, line := range differences {
		flag, differ, _ := strings.Cut(line, ": ")
		c.facts = append(c.facts, fact{"render", flag, hcp, differ, "-"})
	}
	return alternate(10*c.runs, func(_ int, of side) error {
		e, err := measuring.Run(ctx, offline(), c.program(of), renderArgs(of, dir, nil)...)
		if err != nil {
			return err
		}
		c.record("render", "render: time", "ms", hcp, of, measuring.Ms(e.Took))
		c.record("render", "render: memory", "MB", hcp, of, e.Resident)
		return nil
	})
}

// renderDifferences runs both programs with each flag that both have, and returns a line for each that makes a
// difference.
func (c *comparison) renderDifferences(ctx context.Context, dir string) (lines []string, compared int, err error) {
	help, err := measuring.Run(ctx, offline(), c.hcp, "create", "cluster", "kubevirt", "--help")
	if err != nil {
		return nil, 0, err
	}
	plain, err := c.renderedDiffer(ctx, dir, nil)
	if err != nil {
		return nil, 0, err
	}
	lines = []string{"no further flag: " + orNone(plain)}
	examples, err := filepath.Glob(filepath.Join(c.flags, "*.yaml"))
	if err != nil {
		return nil, 0, err
	}
	for _, path := range examples {
		args, err := example(path)
		if err != nil {
			return nil, 0, err
		}
		if !allKnown(string(help.Stdout), args) {
			continue
		}
		compared++
		differ, err := c.renderedDiffer(ctx, dir, inDirectory(dir, args))
		if err != nil {
			return nil, 0, err
		}
		differ = slices.DeleteFunc(differ, func(d string) bool { return slices.Contains(plain, d) })
		if len(differ) > 0 {
			lines = append(lines, "`"+strings.Join(args, " ")+"`: "+strings.Join(differ, ", "))
		}
	}
	if compared == 0 {
		return nil, 0, fmt.Errorf("%s has no example of a flag that both have", c.flags)
	}
	return lines, compared, nil
}

func orNone(lines []string) string {
	if len(lines) == 0 {
		return "none"
	}
	return strings.Join(lines, ", ")
}

// example reads the flags of an example: its first line.
func example(path string) ([]string, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	first, _, _ := strings.Cut(string(content), "\n")
	words := strings.Fields(strings.TrimPrefix(first, "#"))
	var args []string
	for i := 0; i+1 < len(words); i += 2 {
		args = append(args, words[i]+"="+words[i+1]) // a flag that is true or false needs it
	}
	return args, nil
}

// allKnown reports whether a help text has all these flags.
func allKnown(help string, args []string) bool {
	for _, arg := range args {
		name, _, _ := strings.Cut(arg, "=")
		if !strings.Contains(help, name+" ") {
			return false
		}
	}
	return len(args) > 0
}

// inDirectory replaces values that are one of the files by its path.
func inDirectory(dir string, args []string) []string {
	out := slices.Clone(args)
	for i, arg := range out {
		name, value, _ := strings.Cut(arg, "=")
		if _, err := os.Stat(filepath.Join(dir, value)); err == nil && value != "" {
			out[i] = name + "=" + filepath.Join(dir, value)
		}
	}
	return out
}

func renderArgs(of side, dir string, more []string) []string {
	args := []string{"create", "cluster"}
	if of == theirs {
		args = append(args, "kubevirt")
	}
	args = append(args, clusterFlags("kv-00", filepath.Join(dir, "pull-secret.json"))...)
	return append(append(args, "--infra-id", "kv-00-abcde", "--render"), more...)
}

// renderedDiffer returns where the objects of both differ, or which program refuses the flags.
func (c *comparison) renderedDiffer(ctx context.Context, dir string, more []string) ([]string, error) {
	objects := map[side]map[string]any{}
	refused := map[side]bool{}
	for _, of := range []side{ours, theirs} {
		e, err := measuring.Run(ctx, offline(), c.program(of), renderArgs(of, dir, more)...)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		refused[of] = err != nil
		if objects[of], err = parse(string(e.Stdout)); err != nil {
			return nil, fmt.Errorf("%s: %w", agent(of), err)
		}
	}
	switch {
	case refused[ours] && refused[theirs]:
		return []string{"both refuse it"}, nil
	case refused[ours]:
		return []string{"hcctl refuses it"}, nil
	case refused[theirs]:
		return []string{"hcp refuses it"}, nil
	}
	return differences("", objects[ours], objects[theirs]), nil
}

// infraLabel is on objects that hcctl renders; hcp adds it when it applies them.
const infraLabel = "hypershift.openshift.io/auto-created-for-infra"

// parse returns rendered objects by kind and name, without that label and without what the API server ignores: a
// status, and null or empty values.
func parse(text string) (map[string]any, error) {
	all := map[string]any{}
	for part := range strings.SplitSeq("\n"+text, "\n---") {
		object := map[string]any{}
		if err := yaml.Unmarshal([]byte(part), &object); err != nil {
			return nil, err
		}
		if len(object) == 0 {
			continue
		}
		delete(object, "status")
		meta, _ := object["metadata"].(map[string]any)
		if labels, ok := meta["labels"].(map[string]any); ok {
			delete(labels, infraLabel)
		}
		all[fmt.Sprint(object["kind"], " ", meta["name"])] = pruned(object)
	}
	return all, nil
}

// pruned removes null and empty values.
func pruned(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := map[string]any{}
	for k, v := range m {
		v = pruned(v)
		if inner, ok := v.(map[string]any); v != nil && v != "" && (!ok || len(inner) > 0) {
			out[k] = v
		}
	}
	return out
}

// differences returns where two objects differ: "path: hcctl VALUE, hcp VALUE".
func differences(path string, a, b any) []string {
	am, aok := a.(map[string]any)
	bm, bok := b.(map[string]any)
	if !aok || !bok {
		if reflect.DeepEqual(a, b) {
			return nil
		}
		return []string{fmt.Sprintf("%s: hcctl %s, hcp %s", path, short(a), short(b))}
	}
	keys := maps.Clone(am)
	maps.Copy(keys, bm)
	var out []string
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		out = append(out, differences(strings.TrimPrefix(path+"."+k, "."), am[k], bm[k])...)
	}
	return out
}

func short(v any) string {
	if v == nil {
		return "nothing"
	}
	content, err := yaml.Marshal(v)
	if err != nil {
		return err.Error()
	}
	text := strings.Join(strings.Fields(string(content)), " ")
	if runes := []rune(text); len(runes) > 60 {
		text = string(runes[:59]) + "…"
	}
	return text
}
