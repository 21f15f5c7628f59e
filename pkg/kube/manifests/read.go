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

// Manifest is one object of a manifest file.
type Manifest struct {
	// where is the file, relative to the directory, and the number of the document.
	where string
	rank  int
	// reportsReady is set if the object's status reports readiness, conditions if its CRD has status.conditions.
	reportsReady, conditions bool
	*unstructured.Unstructured
}

// name returns the object for the user: "ClusterRole hco-operator".
func (m Manifest) name() string { return m.GetKind() + " " + kube.Name(m.Unstructured) }

// digest returns a hash of the document's content.
func (m Manifest) digest() string {
	// A map decoded from YAML always marshals to JSON, with sorted keys.
	text, _ := json.Marshal(m.Object)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// List has manifests in the order of application.
type List []Manifest

// maxManifestBytes is the maximum size of a manifest file, in bytes.
const maxManifestBytes = 64 << 20

// isManifest reports whether the file name is that of a manifest.
func isManifest(path string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path))
}

// ReadDirectory reads every .yaml, .yml and .json file in the directory and below it. Each document must be a whole
// object; an object that occurs twice or a duplicate key is an error, which names the file and the number of the
// document. A link that leads out of the directory is an error.
func ReadDirectory(dir string) (List, error) {
	var all List
	tree := safefile.Tree{Directories: []string{dir}}
	err := tree.Walk(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !isManifest(path) {
			return err
		}
		data, err := tree.Read(path, maxManifestBytes)
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

// objectsOf returns the object of a document, or the items of a List.
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
