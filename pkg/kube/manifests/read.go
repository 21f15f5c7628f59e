package manifests

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

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
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	var all []Manifest
	for number := 1; ; number++ {
		where := fmt.Sprintf("%s, document %d", file, number)
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", where, err)
		}
		text, err := yaml.YAMLToJSONStrict(document)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", where, err)
		case string(text) == "null":
			continue // nothing but comments
		}
		found, err := objectsOf(where, text)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
}

// objectsOf is the object of a document, or the items of a List.
func objectsOf(where string, text []byte) ([]Manifest, error) {
	var head metav1.TypeMeta
	if err := json.Unmarshal(text, &head); err != nil || head.APIVersion == "" || head.Kind == "" {
		// The decoder of objects would quote the document, which may be a secret.
		return nil, fmt.Errorf("%s: apiVersion or kind is missing", where)
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(text); err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	if !u.IsList() {
		return checked(where, u)
	}
	var all []Manifest
	err := u.EachListItem(func(item runtime.Object) error {
		o, ok := item.(*unstructured.Unstructured)
		if !ok {
			return fmt.Errorf("%s: an item is not an object", where)
		}
		found, err := checked(where, o)
		all = append(all, found...)
		return err
	})
	return all, err
}

func checked(where string, u *unstructured.Unstructured) ([]Manifest, error) {
	switch {
	case u.GetAPIVersion() == "" || u.GetKind() == "":
		return nil, fmt.Errorf("%s: apiVersion or kind is missing", where)
	case u.GetName() == "":
		return nil, fmt.Errorf("%s: %s without metadata.name", where, u.GetKind())
	}
	return []Manifest{{where: where, Unstructured: u}}, nil
}
