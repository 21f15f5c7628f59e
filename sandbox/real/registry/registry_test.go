package registry

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	imagev1 "github.com/openshift/api/image/v1"
)

// reach starts a registry with a proxy before it, and returns a client that uses the proxy.
func reach(t *testing.T, outage *atomic.Bool) *http.Client {
	t.Helper()
	s, err := Start(t.Context(), outage)
	if err != nil {
		t.Fatal(err)
	}
	p, err := StartProxy(t.Context(), func(user, host, _ string) (string, error) {
		if user != "tester" || !Serves(host) {
			return "", ErrNoHost
		}
		return s.Address, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	at, err := url.Parse(strings.TrimPrefix(p.Env("tester"), "https_proxy="))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(s.CA) {
		t.Fatal("the authority is not PEM")
	}
	transport := &http.Transport{Proxy: http.ProxyURL(at), TLSClientConfig: &tls.Config{RootCAs: roots}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func get(t *testing.T, c *http.Client, u string) (int, http.Header, []byte) {
	t.Helper()
	resp, err := c.Get(u)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, raw
}

// manifest reads the manifest of an image, and checks its digest.
func manifest(t *testing.T, c *http.Client, repository, ref string) v1.Manifest {
	t.Helper()
	status, header, raw := get(t, c, "https://quay.io/v2/"+repository+"/manifests/"+ref)
	if status != http.StatusOK {
		t.Fatalf("%s:%s: %d %s", repository, ref, status, raw)
	}
	if want := fmt.Sprintf("sha256:%x", sha256.Sum256(raw)); header.Get("Docker-Content-Digest") != want {
		t.Errorf("digest %s, content has %s", header.Get("Docker-Content-Digest"), want)
	}
	var m v1.Manifest
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func references(t *testing.T, c *http.Client, m v1.Manifest) imagev1.ImageStream {
	t.Helper()
	_, _, layer := get(t, c, "https://quay.io/v2/"+payloadRepository+"/blobs/"+m.Layers[0].Digest.String())
	var stream imagev1.ImageStream
	for r := tar.NewReader(bytes.NewReader(layer)); ; {
		h, err := r.Next()
		if err != nil {
			t.Fatalf("no image-references: %v", err)
		}
		if h.Name != "release-manifests/image-references" {
			continue
		}
		if err := json.NewDecoder(r).Decode(&stream); err != nil {
			t.Fatal(err)
		}
		return stream
	}
}

func TestPayloadNamesImagesThatExist(t *testing.T) {
	c := reach(t, &atomic.Bool{})
	stream := references(t, c, manifest(t, c, payloadRepository, "4.20.3-x86_64"))
	if stream.Name != "4.20.3" {
		t.Errorf("payload's version %q", stream.Name)
	}
	seen := map[string]bool{}
	for _, tag := range stream.Spec.Tags {
		repository, digest, _ := strings.Cut(strings.TrimPrefix(tag.From.Name, "quay.io/"), "@")
		m := manifest(t, c, repository, digest)
		seen[digest] = true
		if tag.Name != "hypershift" {
			continue
		}
		_, _, raw := get(t, c, "https://quay.io/v2/"+repository+"/blobs/"+m.Config.Digest.String())
		var config v1.ConfigFile
		if err := json.Unmarshal(raw, &config); err != nil {
			t.Fatal(err)
		}
		if config.Config.Labels["io.openshift.hypershift.restricted-psa"] != "true" {
			t.Errorf("labels of hypershift: %v", config.Config.Labels)
		}
	}
	if len(seen) != len(stream.Spec.Tags) || len(seen) < 150 {
		t.Errorf("%d images for %d names", len(seen), len(stream.Spec.Tags))
	}
}

func TestMultiPayloadIsAList(t *testing.T) {
	c := reach(t, &atomic.Bool{})
	_, header, raw := get(t, c, "https://quay.io/v2/"+payloadRepository+"/manifests/4.20.3-multi")
	if got := header.Get("Content-Type"); got != "application/vnd.docker.distribution.manifest.list.v2+json" {
		t.Fatalf("media type %s", got)
	}
	var index v1.IndexManifest
	if err := json.Unmarshal(raw, &index); err != nil {
		t.Fatal(err)
	}
	if len(index.Manifests) != len(architectures) {
		t.Fatalf("%d manifests", len(index.Manifests))
	}
	stream := references(t, c, manifest(t, c, payloadRepository, index.Manifests[0].Digest.String()))
	if stream.Name != "4.20.3" {
		t.Errorf("payload's version %q", stream.Name)
	}
}

func TestReleasesDiffer(t *testing.T) {
	c := reach(t, &atomic.Bool{})
	a := manifest(t, c, payloadRepository, "4.20.3-x86_64")
	b := manifest(t, c, payloadRepository, "4.20.4-x86_64")
	if a.Layers[0].Digest == b.Layers[0].Digest {
		t.Error("two releases have the same image-references")
	}
}

func TestUnknownImages(t *testing.T) {
	c := reach(t, &atomic.Bool{})
	for _, u := range []string{
		"https://quay.io/v2/openshift-release-dev/ocp-release/manifests/4.99.0-x86_64",
		"https://quay.io/v2/openshift-release-dev/ocp-release/manifests/latest",
		"https://quay.io/v2/somebody/else/manifests/4.20.3-x86_64",
		"https://registry.redhat.io/v2/openshift-release-dev/ocp-release/manifests/4.20.3-x86_64",
	} {
		if status, _, raw := get(t, c, u); status != http.StatusNotFound || !bytes.Contains(raw, []byte("manifest unknown")) {
			t.Errorf("%s: %d %s", u, status, raw)
		}
	}
	if status, _, _ := get(t, c, "https://registry.redhat.io/v2/redhat/redhat-operator-index/manifests/v4.20"); status !=
		http.StatusOK {
		t.Errorf("the catalog's image: %d", status)
	}
}

func TestUnknownHost(t *testing.T) {
	if resp, err := reach(t, &atomic.Bool{}).Get("https://registry.example.com/v2/"); err == nil {
		_ = resp.Body.Close()
		t.Fatal("a host that the proxy does not know answers")
	}
}

func TestOutageBreaksOffOpenConnections(t *testing.T) {
	outage := &atomic.Bool{}
	c := reach(t, outage)
	manifest(t, c, payloadRepository, "4.20.3-x86_64")
	outage.Store(true)
	resp, err := c.Get("https://quay.io/v2/")
	if err == nil {
		t.Errorf("an outage, yet %s", errors.Join(errors.New(resp.Status), resp.Body.Close()))
	}
	outage.Store(false)
	manifest(t, c, payloadRepository, "4.20.3-x86_64")
}

func TestTaggedReleases(t *testing.T) {
	s := newStore()
	r, ok := parseTag("4.20.3-multi")
	if !ok {
		t.Fatal("no release")
	}
	if err := s.addRelease(r); err != nil {
		t.Fatal(err)
	}
	const release = Host + "/" + payloadRepository
	for image, want := range map[string]string{
		release + ":4.20.3-multi":                                 release + ":4.20.3-multi",
		release + "@" + s.tags[payloadRepository+":4.20.3-multi"]: release + ":4.20.3-multi",
		release + "@sha256:abc":                                   release + "@sha256:abc",
	} {
		if got := s.tagged(image); got != want {
			t.Errorf("%s is %s, want %s", image, got, want)
		}
	}
}
