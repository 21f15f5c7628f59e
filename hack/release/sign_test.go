package release_test

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sigstore/sigstore-go/pkg/bundle"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/sign"
	"github.com/sigstore/sigstore-go/pkg/testing/ca"
	"github.com/sigstore/sigstore-go/pkg/verify"
	"github.com/sigstore/sigstore/pkg/cryptoutils"
	"github.com/sigstore/sigstore/pkg/signature"
	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/encoding/protojson"
)

// signed signs with a key and returns the bundle as cosign sign-blob --bundle writes it into a file.
func signed(t *testing.T, content sign.Content, key sign.Keypair) *bundle.Bundle {
	t.Helper()
	made, err := sign.Bundle(content, key, sign.BundleOptions{Context: t.Context()})
	if err != nil {
		t.Fatal(err)
	}
	text, err := protojson.Marshal(made)
	if err != nil {
		t.Fatal(err)
	}
	out := new(bundle.Bundle)
	if err := out.UnmarshalJSON(text); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out
}

// localKey is a new key, and a verifier that trusts it alone: cosign verify-blob --key.
func localKey(t *testing.T) (sign.Keypair, *verify.Verifier) {
	t.Helper()
	key, err := sign.NewEphemeralKeypair(&sign.EphemeralKeypairOptions{Hint: []byte(rand.Text())})
	if err != nil {
		t.Fatal(err)
	}
	public, err := key.GetPublicKeyPem()
	if err != nil {
		t.Fatal(err)
	}
	trusted := root.NewTrustedPublicKeyMaterial(func(string) (root.TimeConstrainedVerifier, error) {
		read, err := cryptoutils.UnmarshalPEMToPublicKey([]byte(public))
		if err != nil {
			return nil, err
		}
		verifier, err := signature.LoadDefaultVerifier(read)
		return root.NewExpiringKey(verifier, time.Time{}, time.Time{}), err
	})
	verifier, err := verify.NewVerifier(trusted, verify.WithNoObserverTimestamps())
	if err != nil {
		t.Fatal(err)
	}
	return key, verifier
}

// TestSignature signs the checksums with a key of this test and verifies them by sigstore's own library, which is that
// of cosign: a bundle beside the file.
func TestSignature(t *testing.T) {
	key, verifier := localKey(t)
	_, stranger := localKey(t)
	checksums := read(t, filepath.Join(dist(t), "checksums.txt"))
	made := signed(t, &sign.PlainData{Data: checksums}, key)
	check := func(v *verify.Verifier, text []byte) error {
		_, err := v.Verify(made, verify.NewPolicy(verify.WithArtifact(bytes.NewReader(text)), verify.WithKey()))
		return err
	}
	if err := check(verifier, checksums); err != nil {
		t.Errorf("the signature is refused: %v", err)
	}
	if check(verifier, append(slices.Clone(checksums), '\n')) == nil {
		t.Error("a changed file is accepted")
	}
	if check(stranger, checksums) == nil {
		t.Error("the signature of another key is accepted")
	}
}

// subject and statement are in-toto's (v1), with SLSA's provenance (v1) as what is stated.
type subject struct {
	Name   string            `json:"name"`
	Digest map[string]string `json:"digest"`
}

type statement struct {
	Type          string    `json:"_type"`
	Subject       []subject `json:"subject"`
	PredicateType string    `json:"predicateType"`
	Predicate     any       `json:"predicate"`
}

// provenance states of every file in checksums.txt which workflow made it, in the form of GitHub's attestations.
func provenance(t *testing.T) []byte {
	t.Helper()
	s := statement{Type: "https://in-toto.io/Statement/v1", PredicateType: "https://slsa.dev/provenance/v1",
		Predicate: map[string]any{
			"buildDefinition": map[string]any{"buildType": "https://actions.github.io/buildtypes/workflow/v1",
				"externalParameters": map[string]any{"workflow": map[string]string{"path": ".github/workflows/release.yml"}}},
			"runDetails": map[string]any{"builder": map[string]string{"id": "https://github.com/actions/runner"}},
		}}
	for line := range strings.Lines(string(read(t, filepath.Join(dist(t), "checksums.txt")))) {
		checksum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		s.Subject = append(s.Subject, subject{name, map[string]string{"sha256": checksum}})
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestProvenance signs a statement about every file of the release and asks of each file whether it is in it, as gh
// attestation verify does.
func TestProvenance(t *testing.T) {
	key, verifier := localKey(t)
	const payload = "application/vnd.in-toto+json"
	text := provenance(t)
	made := signed(t, &sign.DSSEData{Data: text, PayloadType: payload}, key)
	check := func(b *bundle.Bundle, file []byte) error {
		digest, err := hex.DecodeString(sum(file))
		if err != nil {
			t.Fatal(err)
		}
		result, err := verifier.Verify(b, verify.NewPolicy(verify.WithArtifactDigest("sha256", digest), verify.WithKey()))
		if err == nil && result.Statement.GetPredicateType() != "https://slsa.dev/provenance/v1" {
			return fmt.Errorf("it states %s", result.Statement.GetPredicateType())
		}
		return err
	}
	asked := 0
	for _, a := range slices.Concat(artifacts(t, "Archive"), artifacts(t, "Linux Package"), artifacts(t, "SBOM")) {
		if err := check(made, read(t, a.Path)); err != nil {
			t.Errorf("%s: %v", a.Name, err)
		}
		asked++
	}
	if asked < 15 {
		t.Errorf("only %d files were asked of", asked)
	}
	if check(made, append(read(t, here(t).Path), 0)) == nil {
		t.Error("a file that was not made by it is accepted")
	}
	stranger, _ := localKey(t)
	if check(signed(t, &sign.DSSEData{Data: text, PayloadType: payload}, stranger), read(t, here(t).Path)) == nil {
		t.Error("the statement of another key is accepted")
	}
}

// TestIdentity signs by identities with authorities of this test (certificates, transparency log and time stamps), and
// holds the identity that install.sh and docs/install.md ask for against that of the workflow.
func TestIdentity(t *testing.T) {
	const tag = "v1.2.3"
	asked := func(name string) (identity, issuer string) {
		text := string(read(t, name))
		found := regexp.MustCompile(`--certificate-identity "?(\S+?)"?\s`).FindStringSubmatch(text)
		by := regexp.MustCompile(`--certificate-oidc-issuer (\S+)`).FindStringSubmatch(text)
		if found == nil || by == nil {
			t.Fatalf("%s asks for no identity", name)
		}
		return strings.ReplaceAll(found[1], "$version", tag), by[1]
	}
	identity, issuer := asked("install.sh")
	if i, by := asked("../../docs/install.md"); i != identity || by != issuer {
		t.Errorf("docs/install.md asks for %s of %s, install.sh for %s of %s", i, by, identity, issuer)
	}
	local, err := ca.NewVirtualSigstore()
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := verify.NewVerifier(local, verify.WithTransparencyLog(1), verify.WithObserverTimestamps(1))
	if err != nil {
		t.Fatal(err)
	}
	wanted, err := verify.NewShortCertificateIdentity(issuer, "", identity, "")
	if err != nil {
		t.Fatal(err)
	}
	checksums := read(t, filepath.Join(dist(t), "checksums.txt"))
	// What GitHub says of a job: its repository, the file of its workflow, and what it runs for.
	const of = "https://github.com/hcctl/hcctl/.github/workflows/"
	for _, tt := range []struct {
		name, identity, issuer string
		accepted               bool
	}{
		{"the release's workflow for its tag", of + "release.yml@refs/tags/" + tag,
			"https://token.actions.githubusercontent.com", true},
		{"for another tag", of + "release.yml@refs/tags/v1.2.4", "https://token.actions.githubusercontent.com", false},
		{"for a branch", of + "release.yml@refs/heads/main", "https://token.actions.githubusercontent.com", false},
		{"another workflow", of + "ci.yml@refs/tags/" + tag, "https://token.actions.githubusercontent.com", false},
		{"a fork", "https://github.com/fork/hcctl/.github/workflows/release.yml@refs/tags/" + tag,
			"https://token.actions.githubusercontent.com", false},
		{"another issuer", of + "release.yml@refs/tags/" + tag, "https://issuer.example.com", false},
	} {
		entity, err := local.Sign(tt.identity, tt.issuer, checksums)
		if err != nil {
			t.Fatal(err)
		}
		_, err = verifier.Verify(entity, verify.NewPolicy(verify.WithArtifact(bytes.NewReader(checksums)),
			verify.WithCertificateIdentity(wanted)))
		if (err == nil) != tt.accepted {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// TestWorkflowSignsAndAttests holds the release's workflow to what it promises: it signs what everything else is
// compared with, attests where each file came from, and has the rights for that and no others.
func TestWorkflowSignsAndAttests(t *testing.T) {
	var workflow struct {
		Jobs map[string]struct {
			Needs       string            `yaml:"needs"`
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
	if job.Needs != "test" || len(workflow.Jobs["test"].Permissions) > 0 {
		t.Errorf("the job needs %q, which has the rights %v", job.Needs, workflow.Jobs["test"].Permissions)
	}
	for name, parts := range map[string][]string{"test": {"merge-base --is-ancestor HEAD origin/main\n", "make test-release\n"},
		"release": {"make release\n", "actions/attest-build-provenance@", "dist/subjects.txt\n", "cp checksums.txt subjects.txt",
			"sha256sum image.tar hcctl.rb hcctl.yaml >> subjects.txt\n",
			"dist/image.tar dist/hcctl.rb dist/hcctl.yaml dist/provenance.sigstore.json\n"}} {
		all := ""
		for _, step := range workflow.Jobs[name].Steps {
			all += step.Uses + " " + step.With["subject-checksums"] + "\n" + step.Run + "\n"
		}
		for _, part := range parts {
			if !strings.Contains(all, part) {
				t.Errorf("job %s has no %q:\n%s", name, part, all)
			}
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
