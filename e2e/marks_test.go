package e2e

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"
)

// marksCommand: [!] marks MARK FILE|DIR...
//
// The files, and those within directories and archives, have the mark: plainly, in base64 wherever that begins,
// hexadecimal, or in a URL. With ! none has. A MARK @NAMESPACE stands for all that the Secrets of that namespace hold
// and that is not public.
func marksCommand(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: [!] marks MARK FILE|DIR...")
	}
	forms := formsOf(args[0])
	if namespace, is := strings.CutPrefix(args[0], "@"); is {
		forms = formsOfSecrets(ts, namespace)
	}
	var found []string
	files := 0
	for _, root := range args[1:] {
		ts.Check(filepath.WalkDir(ts.MkAbs(root), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			files++
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for name, form := range forms {
				if bytes.Contains(unpacked(data), []byte(form)) {
					found = append(found, path+" ("+name+")")
				}
			}
			return nil
		}))
	}
	switch {
	case files == 0:
		ts.Fatalf("there is no file in %s", strings.Join(args[1:], ", "))
	case neg && len(found) > 0:
		ts.Fatalf("the secret %s is in\n%s", args[0], strings.Join(found, "\n"))
	case !neg && len(found) == 0:
		ts.Fatalf("none of %d files has %s", files, args[0])
	}
}

// formsOfSecrets are the forms of what is in the Secrets of a namespace: tokens, passwords and keys, of kubeconfigs
// and PEM each by itself. It fails if there is none.
func formsOfSecrets(ts *testscript.TestScript, namespace string) map[string]string {
	secrets, err := clusterOf(ts).resource("secrets", namespace)
	ts.Check(err)
	ctx, cancel := requestContext()
	defer cancel()
	list, err := secrets.List(ctx, metav1.ListOptions{})
	ts.Check(err)
	forms := map[string]string{}
	for _, item := range list.Items {
		data, _, err := unstructured.NestedStringMap(item.Object, "data")
		ts.Check(err)
		for key, encoded := range data {
			plain, err := base64.StdEncoding.DecodeString(encoded)
			ts.Check(err)
			for _, mark := range secretsIn(key, string(plain)) {
				for name, form := range formsOf(mark) {
					forms[namespace+"/"+item.GetName()+" "+key+" "+name+" "+mark[:4]] = form
				}
			}
		}
	}
	if len(forms) == 0 {
		ts.Fatalf("the Secrets of %s hold nothing", namespace)
	}
	return forms
}

// secretsIn are the secrets of a Secret's value: of PEM a line of the key's middle, of a kubeconfig its user's, of
// credentials for registries theirs.
func secretsIn(key, value string) []string {
	const least = 8
	var out []string
	if block, _ := pem.Decode([]byte(value)); block != nil {
		if lines := strings.Split(value, "\n"); strings.Contains(block.Type, "PRIVATE KEY") && len(lines) > 2 {
			out = append(out, lines[1])
		}
		return out
	}
	if cfg, err := clientcmd.Load([]byte(value)); err == nil && len(cfg.AuthInfos) > 0 {
		for _, user := range cfg.AuthInfos {
			out = append(out, user.Token, user.Password)
			out = append(out, secretsIn(key, string(user.ClientKeyData))...)
		}
		return slices.DeleteFunc(out, func(s string) bool { return len(s) < least })
	}
	if slices.Contains([]string{"namespace", "username", "user", "name", "type", "release", "reason", "message"}, key) ||
		strings.HasSuffix(key, ".crt") ||
		strings.Contains(value, "BEGIN CERTIFICATE") ||
		len(value) < least {
		return nil
	}
	return []string{value}
}

// formsOf are the forms in which a mark may turn up. Of base64 it is what stands for the mark alone, so that it is
// found within more.
func formsOf(mark string) map[string]string {
	plain := []byte(mark)
	forms := map[string]string{
		"plainly": mark, "hexadecimal": hex.EncodeToString(plain), "in a URL": url.QueryEscape(mark),
	}
	for shift, name := range []string{"base64", "base64, one byte in", "base64, two bytes in"} {
		blob := base64.StdEncoding.EncodeToString(append(make([]byte, shift), plain...))
		forms[name] = blob[4*((shift+2)/3) : 4*((shift+len(plain))/3)]
	}
	return forms
}

// unpacked is what is in an archive, or the data as it is.
func unpacked(data []byte) []byte {
	plain, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return data
	}
	var all bytes.Buffer
	for archive := tar.NewReader(plain); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) || err != nil {
			return all.Bytes()
		}
		all.WriteString(header.Name + "\n")
		if _, err := io.Copy(&all, archive); err != nil {
			return all.Bytes()
		}
	}
}
