package release_test

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sigstore/sigstore/pkg/cryptoutils"
	"github.com/sigstore/sigstore/pkg/signature"
	"go.yaml.in/yaml/v3"
)

// TestSignature signs the checksums with a key of this test and verifies them as cosign verify-blob --key does: a
// base64 signature beside the file, by sigstore's own library. The workflow signs without a key, by its identity, which
// needs the net.
func TestSignature(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := signature.LoadSigner(key, crypto.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	checksums := read(t, filepath.Join(dist(t), "checksums.txt"))
	signed, err := signer.SignMessage(bytes.NewReader(checksums))
	if err != nil {
		t.Fatal(err)
	}
	beside := base64.StdEncoding.EncodeToString(signed)
	public, err := cryptoutils.MarshalPublicKeyToPEM(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	verify := func(text []byte) error {
		read, err := cryptoutils.UnmarshalPEMToPublicKey(public)
		if err != nil {
			t.Fatal(err)
		}
		verifier, err := signature.LoadVerifier(read, crypto.SHA256)
		if err != nil {
			t.Fatal(err)
		}
		signed, err := base64.StdEncoding.DecodeString(beside)
		if err != nil {
			t.Fatal(err)
		}
		return verifier.VerifySignature(bytes.NewReader(signed), bytes.NewReader(text))
	}
	if err := verify(checksums); err != nil {
		t.Errorf("the signature is refused: %v", err)
	}
	if err := verify(append(slices.Clone(checksums), '\n')); err == nil {
		t.Error("a changed file is accepted")
	}
}

// TestWorkflowSignsAndAttests holds the release's workflow to what it promises: it signs what everything else is
// compared with, attests where each file came from, and has the rights for that and no others.
func TestWorkflowSignsAndAttests(t *testing.T) {
	var workflow struct {
		Jobs map[string]struct {
			Permissions map[string]string `yaml:"permissions"`
			Steps       []struct {
				Uses string            `yaml:"uses"`
				Run  string            `yaml:"run"`
				With map[string]string `yaml:"with"`
			} `yaml:"steps"`
		} `yaml:"jobs"`
	}
	if err := yaml.Unmarshal(read(t, "../../.github/workflows/release.yml"), &workflow); err != nil {
		t.Fatal(err)
	}
	job := workflow.Jobs["release"]
	want := map[string]string{"contents": "write", "id-token": "write", "attestations": "write"}
	for right, level := range want {
		if job.Permissions[right] != level {
			t.Errorf("the job has %s: %q, not %q", right, job.Permissions[right], level)
		}
	}
	if len(job.Permissions) != len(want) {
		t.Errorf("the job has more rights than it needs: %v", job.Permissions)
	}
	all := ""
	for _, step := range job.Steps {
		all += step.Uses + " " + step.Run + " " + step.With["subject-checksums"] + "\n"
	}
	for _, part := range []string{"make test-release", "make release \n", "actions/attest-build-provenance@",
		"dist/checksums.txt"} {
		if !strings.Contains(all, part) {
			t.Errorf("the workflow has no %q:\n%s", part, all)
		}
	}
	var config struct {
		Signs []struct {
			Cmd, Artifacts string
			Args           []string
		}
	}
	if err := yaml.Unmarshal(read(t, "../../.goreleaser.yaml"), &config); err != nil {
		t.Fatal(err)
	}
	if len(config.Signs) != 1 || config.Signs[0].Cmd != "cosign" || config.Signs[0].Artifacts != "checksum" ||
		config.Signs[0].Args[0] != "sign-blob" {
		t.Errorf("goreleaser signs %+v", config.Signs)
	}
}
