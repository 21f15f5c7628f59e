package e2e

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// marksCommand: [!] marks MARK FILE|DIR...
//
// The files, and those within folders and archives, have the mark: plainly, in base64 wherever that begins, hexadecimal, or in a URL. With ! none has.
func marksCommand(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: [!] marks MARK FILE|DIR...")
	}
	forms := formsOf(args[0])
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

// formsOf are the forms in which a mark may turn up. Of base64 it is what stands for the mark alone, so that it is found within more.
func formsOf(mark string) map[string]string {
	plain := []byte(mark)
	forms := map[string]string{"plainly": mark, "hexadecimal": hex.EncodeToString(plain), "in a URL": url.QueryEscape(mark)}
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
