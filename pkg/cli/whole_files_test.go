package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// fileFields are the options that name files, with the flags of create cluster.
func fileFields() []options.Field {
	var all []options.Field
	take := func(fields []options.Field, of any) {
		for _, f := range fields {
			if kind := option.At(reflect.ValueOf(of), f.Name).Type().String(); kind == "options.File" || kind == "options.Files" {
				all = append(all, f)
			}
		}
	}
	take(options.Fields(), options.Cluster{})
	take(options.FirstPoolFields(), options.NodePool{})
	return all
}

// Fields whose files hold several documents, text that is not YAML, and what others read and judge: unknown fields of
// these are passed on.
var (
	severalDocuments = []string{"manifests", "cni", "guestManifests", "config", "imageContentSources"}
	plainText        = []string{"sshKey", "additionalTrustBundle", "services.jumpHost.authorizedKeys",
		"services.oidc.clientSecret", "services.oidc.ca"}
	passedOn = []string{"pullSecret", "auditWebhook", "infraKubeconfigFile", "services.dex.config", "vmJSONPatch", "patches",
		"operatorConfiguration"}
)

var firstKey = regexp.MustCompile(`(?m)^( *)(- )?([a-zA-Z]+):(.*)\n`)

// besideFirst puts a field into the first mapping of YAML.
func besideFirst(content, field string) string {
	m := firstKey.FindStringSubmatch(content)
	if m == nil { // JSON
		return strings.Replace(content, "{", `{"`+strings.Replace(field, ": ", `":`, 1)+",", 1)
	}
	if m[2] == "" {
		return strings.Replace(content, m[0], m[1]+field+"\n"+m[0], 1)
	}
	return strings.Replace(content, m[0], m[0]+m[1]+"  "+field+"\n", 1)
}

func nameOfFirst(content string) string {
	if m := firstKey.FindStringSubmatch(content); m != nil {
		return m[3]
	}
	return regexp.MustCompile(`"([a-z]+)"`).FindStringSubmatch(content)[1]
}

// A file that an option names is read to its end, or refused with the line.
func TestFilesAreReadWhole(t *testing.T) {
	examples, err := filepath.Glob("../hostedcluster/options/testdata/examples/*")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, path := range examples {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(path)), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	fields := fileFields()
	if len(fields) < 15 {
		t.Errorf("%d options name files; there were 19", len(fields))
	}
	for _, f := range fields {
		t.Run(f.Name, func(t *testing.T) { readsWhole(t, f) })
	}
}

func readsWhole(t *testing.T, f options.Field) {
	t.Helper()
	example, err := os.ReadFile(f.Example)
	if err != nil {
		t.Fatal(err)
	}
	content := string(example)
	file := filepath.Join(t.TempDir(), "changed.yaml")
	try := func(name, content, want string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		args := slices.Concat([]string{"create", "cluster", "--name", "kv-00", "--save-config", "-", "--" + f.Flag, file},
			strings.Fields(f.With))
		code, _, stderr := run(t, args...)
		switch {
		case want == "" && code != 0:
			t.Errorf("%s: exit code %d: %s", name, code, stderr)
		case want != "" && (code != 2 || !regexp.MustCompile(want).MatchString(stderr)):
			t.Errorf("%s: exit code %d, want %q: %s", name, code, want, stderr)
		}
	}
	yaml := !slices.Contains(plainText, f.Name)
	const line = `(?i)lines? \d+|:\d+:`
	try("as it is", content, "")
	try("byte order mark", "\xef\xbb\xbf"+content, "")
	try("carriage returns", strings.ReplaceAll(content, "\n", "\r\n"), "")
	try("UTF-16", "\xff\xfe"+strings.Join(strings.Split(content, ""), "\x00")+"\x00", "UTF-16")
	try("zero byte", content+"\x00\n", "line [0-9]+: there is a zero byte")
	try("empty", "", "is empty")
	try("nothing but space", "\n \n", "empty|nothing in it|no patch|no object|no public key|not PEM|one line|no YAML")
	try("too large", content+strings.Repeat("#"+strings.Repeat(" ", 1<<20-2)+"\n", 17), "has more than 16 M|too|more than")
	if !yaml {
		if f.Name != "services.oidc.ca" && f.Name != "additionalTrustBundle" { // PEM has text between its blocks
			try("garbage behind", content+"\n]\n", line+"|one line")
		}
		return
	}
	try("garbage behind", content+"\n]\n", line)
	again := nameOfFirst(content)
	try("a field twice", besideFirst(content, again+": "+`"x"`), line)
	if f.Name != "pullSecret" {
		behind := map[bool]string{true: "\n---\n[[]]\n", false: "\n---\nmore: 1\n"}[slices.Contains(severalDocuments, f.Name)]
		try("a second document", content+behind, line)
	}
	unknown := line
	if slices.Contains(passedOn, f.Name) || f.Name != "imageContentSources" && slices.Contains(severalDocuments, f.Name) {
		unknown = ""
	}
	if f.Name == "patches" {
		return // at the top there is spec and metadata alone, and that has another message
	}
	try("an unknown field", besideFirst(content, `notAField: "x"`), unknown)
}

// The same of hcctl's own documents.
func TestDocumentsAreReadWhole(t *testing.T) {
	for kind, content := range map[string]string{
		"Bootstrap": "apiVersion: hcctl.dev/v1alpha1\nkind: Bootstrap\nparallel: 4\n",
		"Cluster":   "apiVersion: hcctl.dev/v1alpha1\nkind: Cluster\nmetadata:\n  name: kv-00\n",
		"Fleet":     "apiVersion: hcctl.dev/v1alpha1\nkind: Fleet\nclusters:\n- metadata: {name: kv-00}\n",
	} {
		for name, tc := range map[string]struct{ content, want string }{
			"as it is":         {content, ""},
			"byte order mark":  {"\xef\xbb\xbf" + content, ""},
			"carriage returns": {strings.ReplaceAll(content, "\n", "\r\n"), ""},
			"UTF-16":           {"\xff\xfe" + strings.Join(strings.Split(content, ""), "\x00") + "\x00", "UTF-16"},
			"a field twice":    {content + "kind: x\n", `f.yaml:\d+: kind is given twice`},
			"an unknown field": {content + "kinds: x\n", `f.yaml:\d+: kinds is not a field`},
			"garbage behind":   {content + "]\n", `f.yaml:\d+: is not YAML`},
			"empty":            {"", "is empty"},
			"too large":        {content + strings.Repeat("# filler\n", 1<<18), "has more than 1048576 bytes"},
			"a second document": {content + "---\nmore: 1\n",
				`f.yaml:\d+: (a second document begins here|apiVersion is missing)`},
		} {
			t.Run(kind+" "+name, func(t *testing.T) {
				t.Chdir(t.TempDir())
				if err := os.WriteFile("f.yaml", []byte(tc.content), 0o600); err != nil {
					t.Fatal(err)
				}
				code, _, stderr := run(t, "config", "validate", "-f", "f.yaml")
				if tc.want == "" && code != 0 || tc.want != "" && (code != 2 || !regexp.MustCompile(tc.want).MatchString(stderr)) {
					t.Errorf("exit code %d, want %q: %s", code, tc.want, stderr)
				}
				if bytes.Count([]byte(stderr), []byte("Error: ")) > 1 {
					t.Errorf("more than one error: %s", stderr)
				}
			})
		}
	}
}
