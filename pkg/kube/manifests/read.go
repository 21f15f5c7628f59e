package manifests

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/document"
	"github.com/hcctl/hcctl/internal/safefile"
	"github.com/hcctl/hcctl/pkg/kube"
)

// Manifest is one object of a directory.
type Manifest struct {
	// where is the file, relative to the directory, and the number of the document in it.
	where string
	rank  int
	// tells is set where the object says by its status whether it is up, conditions where its CRD has status.conditions.
	tells, conditions bool
	*unstructured.Unstructured
}

// name is the object for a user: "ClusterRole hco-operator".
func (m Manifest) name() string { return m.GetKind() + " " + kube.Name(m.Unstructured) }

// digest identifies what the document says.
func (m Manifest) digest() string {
	// A map from YAML always has a JSON form, with its keys in order.
	text, _ := json.Marshal(m.Object)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// List are those of a directory in the order of application.
type List []Manifest

// largestManifest is the size, in bytes, of a file of manifests.
const largestManifest = 64 << 20

// isManifest tells by its name whether a file of a directory has manifests.
func isManifest(path string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path))
}

// ReadDirectory reads every .yaml, .yml and .json file in the directory and below it. Documents have to be whole
// objects, no object may occur twice, and no key within one; errors name the file and the number of the document. A
// link that leads out of the directory is an error.
func ReadDirectory(dir string) (List, error) {
	var all List
	tree := safefile.Tree{Directories: []string{dir}}
	err := tree.Walk(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !isManifest(path) {
			return err
		}
		data, err := tree.Read(path, largestManifest)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		found, err := readDocuments(name, data)
		all = append(all, found...)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no manifests (files that end in .yaml, .yml or .json)", dir)
	}
	if err := all.order(rankConfiguration); err != nil {
		return nil, err
	}
	return all, nil
}

func readDocuments(file string, data []byte) ([]Manifest, error) {
	documents, err := document.Read(data)
	if errors.Is(err, document.ErrEmpty) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s, %w", file, err)
	}
	var all []Manifest
	for i, d := range documents {
		found, err := objectsOf(fmt.Sprintf("%s, document %d", file, i+1), d)
		if err != nil {
			return nil, fmt.Errorf("%s, %w", file, err)
		}
		all = append(all, found...)
	}
	return all, nil
}

// objectsOf is the object of a document, or the items of a List.
func objectsOf(where string, d document.Document) ([]Manifest, error) {
	objects, err := d.Objects()
	if err != nil {
		return nil, err
	}
	all := make([]Manifest, len(objects))
	for i, o := range objects {
		u := &unstructured.Unstructured{Object: o.Fields}
		if u.GetName() == "" {
			return nil, &document.Error{Line: o.Line, Message: u.GetKind() + " without metadata.name"}
		}
		all[i] = Manifest{where: where, Unstructured: u}
	}
	return all, nil
}
