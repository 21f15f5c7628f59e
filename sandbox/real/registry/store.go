package registry

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Host is the registry of the payloads.
const Host = "quay.io"

// catalogHost is the registry of the operators' catalogs.
const catalogHost = "registry.redhat.io"

// blob is a manifest or another content.
type blob struct {
	media types.MediaType
	data  []byte
}

// store has the images that were asked for. It is read-only for clients.
type store struct {
	mu    sync.Mutex
	blobs map[string]blob
	// tags maps repository:tag to a digest.
	tags map[string]string
}

func newStore() *store { return &store{blobs: map[string]blob{}, tags: map[string]string{}} }

// manifestSource is an image or an index.
type manifestSource interface {
	Digest() (v1.Hash, error)
	MediaType() (types.MediaType, error)
	RawManifest() ([]byte, error)
}

func (s *store) addManifest(m manifestSource) (string, error) {
	digest, err := m.Digest()
	if err != nil {
		return "", fmt.Errorf("digest of a manifest: %w", err)
	}
	raw, err := m.RawManifest()
	if err != nil {
		return "", fmt.Errorf("read a manifest: %w", err)
	}
	media, err := m.MediaType()
	if err != nil {
		return "", fmt.Errorf("read a manifest: %w", err)
	}
	s.blobs[digest.String()] = blob{media: media, data: raw}
	return digest.String(), nil
}

// addImage adds an image with its content, and returns its digest.
func (s *store) addImage(img v1.Image) (string, error) {
	config, err := img.ConfigName()
	if err != nil {
		return "", fmt.Errorf("read an image: %w", err)
	}
	raw, err := img.RawConfigFile()
	if err != nil {
		return "", fmt.Errorf("read an image: %w", err)
	}
	s.blobs[config.String()] = blob{data: raw}
	layers, err := img.Layers()
	if err != nil {
		return "", fmt.Errorf("read an image: %w", err)
	}
	for _, l := range layers {
		if err := s.addLayer(l); err != nil {
			return "", err
		}
	}
	return s.addManifest(img)
}

func (s *store) addLayer(l v1.Layer) error {
	digest, err := l.Digest()
	if err != nil {
		return fmt.Errorf("read a layer: %w", err)
	}
	if _, ok := s.blobs[digest.String()]; ok {
		return nil
	}
	r, err := l.Compressed()
	if err != nil {
		return fmt.Errorf("read a layer: %w", err)
	}
	raw, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil {
		return fmt.Errorf("read a layer: %w", err)
	}
	s.blobs[digest.String()] = blob{data: raw}
	return nil
}

// tag adds an image or an index under a tag.
func (s *store) tag(repository, tag string, m manifestSource) error {
	var digest string
	var err error
	if img, ok := m.(v1.Image); ok {
		digest, err = s.addImage(img)
	} else {
		digest, err = s.addManifest(m)
	}
	s.tags[repository+":"+tag] = digest
	return err
}

// find returns the digest of a tag, and makes the image if there should be one; "" if the registry has none.
func (s *store) find(host, repository, tag string) (string, error) {
	if strings.HasPrefix(tag, "sha256:") {
		return tag, nil
	}
	key := repository + ":" + tag
	if digest, ok := s.tags[key]; ok {
		return digest, nil
	}
	var err error
	r, ok := parseTag(tag)
	switch {
	case host == Host && repository == payloadRepository && ok:
		err = s.addRelease(r)
	case host == catalogHost && strings.HasSuffix(repository, "-operator-index"),
		host == catalogHost && strings.HasSuffix(repository, "-marketplace-index"):
		var img v1.Image
		if img, err = newImage("amd64", map[string]string{"name": repository, "version": tag}, nil); err == nil {
			err = s.tag(repository, tag, img)
		}
	}
	return s.tags[key], err
}

// tagged returns the tag of an image that is named by its digest, or the image itself.
func (s *store) tagged(image string) string {
	name, digest, ok := strings.Cut(image, "@")
	if !ok {
		return image
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range sortedKeys(s.tags) {
		if s.tags[key] == digest && strings.HasPrefix(key, payloadRepository+":") {
			return Host + "/" + key
		}
	}
	return name + "@" + digest
}

// ServeHTTP answers the registry's API, version 2, for GET and HEAD.
func (s *store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, ok := strings.CutPrefix(r.URL.Path, "/v2/")
	if r.Method != http.MethodGet && r.Method != http.MethodHead || !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Docker-Distribution-Api-Version", "registry/2.0")
	if path == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if repository, ref, ok := cutLast(path, "/manifests/"); ok {
		digest, err := s.find(r.Host, repository, ref)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		s.write(w, r, digest, "MANIFEST_UNKNOWN", "manifest unknown")
		return
	}
	if _, digest, ok := cutLast(path, "/blobs/"); ok {
		s.write(w, r, digest, "BLOB_UNKNOWN", "blob unknown to registry")
		return
	}
	http.NotFound(w, r)
}

// write answers with a blob, or with the registry's error if there is none.
func (s *store) write(w http.ResponseWriter, r *http.Request, digest, code, message string) {
	b, ok := s.blobs[digest]
	if !ok {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprintf(w, `{"errors":[{"code":%q,"message":%q}]}`, code, message)
		return
	}
	media := string(b.media)
	if media == "" {
		media = "application/octet-stream"
	}
	w.Header().Set("Content-Type", media)
	w.Header().Set("Docker-Content-Digest", digest)
	w.Header().Set("Content-Length", fmt.Sprint(len(b.data)))
	if r.Method == http.MethodGet {
		_, _ = w.Write(b.data) // the client has gone
	}
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return "", "", false
	}
	return s[:i], s[i+len(sep):], true
}
