package release_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-openapi/runtime"
	ct "github.com/google/certificate-transparency-go"
	"github.com/google/certificate-transparency-go/tls"
	"github.com/google/certificate-transparency-go/x509util"
	"github.com/sigstore/fulcio/pkg/certificate"
	trustroot "github.com/sigstore/protobuf-specs/gen/pb-go/trustroot/v1"
	"github.com/sigstore/rekor/pkg/generated/models"
	"github.com/sigstore/rekor/pkg/types"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/testing/ca"
	"github.com/sigstore/sigstore-go/pkg/tlog"
)

// authorities stand for those that sign for the release's workflow, on loopback: GitHub's issuer of tokens, sigstore's
// authority of certificates (Fulcio), its log of certificates, and its transparency log (Rekor, version 1).
type authorities struct {
	log            *ca.VirtualSigstore
	certs          []*x509.Certificate // what signs, and the root
	key, ctKey     *ecdsa.PrivateKey
	ctID           [sha256.Size]byte
	url, directory string
	// job is what GitHub says of the job that asks for a token.
	job claims
}

// claims are those of GitHub's tokens that Fulcio writes into certificates.
type claims struct {
	Issuer      string `json:"iss"`
	Audience    string `json:"aud"`
	Subject     string `json:"sub"`
	Expires     int64  `json:"exp"`
	Issued      int64  `json:"iat"`
	Workflow    string `json:"job_workflow_ref"`
	Repository  string `json:"repository"`
	Owner       string `json:"repository_owner"`
	Ref         string `json:"ref"`
	Commit      string `json:"sha"`
	Environment string `json:"runner_environment"`
}

// releaseJob is the job of the release's workflow for a tag.
func releaseJob(tag string) claims {
	return claims{Issuer: "https://token.actions.githubusercontent.com", Subject: "repo:hcctl/hcctl:ref:refs/tags/" + tag,
		Workflow:   "hcctl/hcctl/.github/workflows/release.yml@refs/tags/" + tag,
		Repository: "hcctl/hcctl", Owner: "hcctl", Ref: "refs/tags/" + tag, Commit: strings.Repeat("1", 40),
		Environment: "github-hosted"}
}

func newAuthorities(t *testing.T) *authorities {
	t.Helper()
	log, err := ca.NewVirtualSigstore()
	if err != nil {
		t.Fatal(err)
	}
	top, topKey, err := ca.GenerateRootCa()
	if err != nil {
		t.Fatal(err)
	}
	signs, key, err := ca.GenerateFulcioIntermediate(top, topKey)
	if err != nil {
		t.Fatal(err)
	}
	ctKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a := &authorities{log: log, certs: []*x509.Certificate{signs, top}, key: key, ctKey: ctKey, directory: t.TempDir()}
	mux := http.NewServeMux()
	for path, serve := range map[string]func(*http.Request) (any, error){
		"GET /token": a.token, "POST /api/v2/signingCert": a.certify, "POST /api/v1/log/entries": a.enter,
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			answer, err := serve(r)
			if err != nil {
				t.Errorf("%s: %v", path, err)
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			if strings.HasSuffix(path, "/entries") {
				w.Header().Set("ETag", entryID)
				w.WriteHeader(http.StatusCreated)
			}
			if err := json.NewEncoder(w).Encode(answer); err != nil {
				t.Error(err)
			}
		})
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	a.url = server.URL
	a.write(t, "trusted_root.json", a.trustedRoot(t))
	a.write(t, "signing_config.json", a.signingConfig(t))
	return a
}

func (a *authorities) write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(a.directory, name), append(text, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
}

// trustedRoot is the file that says whom to trust: cosign's --trusted-root, and a line of gh's --custom-trusted-root.
func (a *authorities) trustedRoot(t *testing.T) []byte {
	t.Helper()
	public, err := x509.MarshalPKIXPublicKey(a.ctKey.Public())
	if err != nil {
		t.Fatal(err)
	}
	a.ctID = sha256.Sum256(public)
	since := time.Now().Add(-time.Hour)
	ctLogs := map[string]*root.TransparencyLog{hex.EncodeToString(a.ctID[:]): {BaseURL: a.url, ID: a.ctID[:],
		ValidityPeriodStart: since, HashFunc: crypto.SHA256, PublicKey: a.ctKey.Public(), SignatureHashFunc: crypto.SHA256}}
	logs := a.log.RekorLogs()
	for id, log := range logs { // its ID there is in hexadecimal already
		if log.ID, err = hex.DecodeString(id); err != nil {
			t.Fatal(err)
		}
	}
	trusted, err := root.NewTrustedRoot(root.TrustedRootMediaType01, []root.CertificateAuthority{
		&root.FulcioCertificateAuthority{Root: a.certs[1], Intermediates: a.certs[:1], URI: a.url, ValidityPeriodStart: since},
	}, ctLogs, nil, logs)
	if err != nil {
		t.Fatal(err)
	}
	text, err := trusted.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// signingConfig is the file that says whom to ask: cosign's --signing-config.
func (a *authorities) signingConfig(t *testing.T) []byte {
	t.Helper()
	service := root.Service{URL: a.url, MajorAPIVersion: 1, ValidityPeriodStart: time.Now().Add(-time.Hour), Operator: "test"}
	config, err := root.NewSigningConfig(root.SigningConfigMediaType02, []root.Service{service}, nil,
		[]root.Service{service}, root.ServiceConfiguration{Selector: trustroot.ServiceSelector_ANY}, nil, root.ServiceConfiguration{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := config.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// environment is what GitHub gives a job that may ask for tokens (id-token: write).
func (a *authorities) environment() []string {
	return []string{"ACTIONS_ID_TOKEN_REQUEST_TOKEN=secret", "ACTIONS_ID_TOKEN_REQUEST_URL=" + a.url + "/token?job=1"}
}

// token is GitHub's issuer.
func (a *authorities) token(r *http.Request) (any, error) {
	if r.Header.Get("Authorization") != "bearer secret" {
		return nil, errors.New("it is not the job that asks")
	}
	return map[string]string{"value": a.tokenFor(r.URL.Query().Get("audience"))}, nil
}

func (a *authorities) tokenFor(audience string) string {
	job := a.job
	job.Audience, job.Issued, job.Expires = audience, time.Now().Unix(), time.Now().Add(5*time.Minute).Unix()
	text, err := json.Marshal(job)
	if err != nil {
		panic(err) // strings and numbers always have a form
	}
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(`{"alg":"RS256","typ":"JWT"}`)) + "." + encode(text) + "." + encode([]byte("signature"))
}

// certify is Fulcio: a certificate of ten minutes that names the workflow, with a stamp of the log of certificates.
func (a *authorities) certify(r *http.Request) (any, error) {
	var asked struct {
		Credentials      struct{ OIDCIdentityToken string }
		PublicKeyRequest struct {
			PublicKey         struct{ Content string }
			ProofOfPossession []byte
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		return nil, err
	}
	token := asked.Credentials.OIDCIdentityToken
	if token == "" {
		token = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	}
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return nil, fmt.Errorf("%q is no token", token)
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return nil, err
	}
	var job claims
	if err := json.Unmarshal(text, &job); err != nil {
		return nil, err
	}
	block, _ := pem.Decode([]byte(asked.PublicKeyRequest.PublicKey.Content))
	if block == nil || job.Audience != "sigstore" {
		return nil, fmt.Errorf("no key, or a token for %q", job.Audience)
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	subject := sha256.Sum256([]byte(job.Subject))
	if public, ok := key.(*ecdsa.PublicKey); !ok ||
		!ecdsa.VerifyASN1(public, subject[:], asked.PublicKeyRequest.ProofOfPossession) {
		return nil, errors.New("who asks does not have the key")
	}
	leaf, err := a.leaf(job, key)
	if err != nil {
		return nil, err
	}
	var chain []string
	for _, der := range [][]byte{leaf, a.certs[0].Raw, a.certs[1].Raw} {
		chain = append(chain, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	}
	return map[string]any{"signedCertificateEmbeddedSct": map[string]any{"chain": map[string]any{"certificates": chain}}}, nil
}

// leaf is a certificate with what Fulcio writes into it for a job of GitHub.
func (a *authorities) leaf(job claims, key crypto.PublicKey) ([]byte, error) {
	const github = "https://github.com/"
	extensions, err := certificate.Extensions{Issuer: job.Issuer, BuildSignerURI: github + job.Workflow,
		RunnerEnvironment: job.Environment, SourceRepositoryURI: github + job.Repository,
		SourceRepositoryDigest: job.Commit, SourceRepositoryRef: job.Ref, SourceRepositoryOwnerURI: github + job.Owner,
		BuildConfigURI: github + job.Workflow, BuildConfigDigest: job.Commit}.Render()
	if err != nil {
		return nil, err
	}
	who, err := url.Parse(github + job.Workflow)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), URIs: []*url.URL{who},
		NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(10 * time.Minute),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageCodeSigning}, ExtraExtensions: extensions}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certs[0], key, a.key)
	if err != nil {
		return nil, err
	}
	unstamped, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	stamp, err := a.stamp(unstamped.RawTBSCertificate)
	if err != nil {
		return nil, err
	}
	template.ExtraExtensions = append(template.ExtraExtensions, stamp)
	return x509.CreateCertificate(rand.Reader, template, a.certs[0], key, a.key)
}

// stamp is what the log of certificates says of one (RFC 6962), as an extension of it.
func (a *authorities) stamp(tbs []byte) (pkix.Extension, error) {
	sct := ct.SignedCertificateTimestamp{SCTVersion: ct.V1, Timestamp: uint64(time.Now().UnixMilli()),
		LogID: ct.LogID{KeyID: a.ctID}}
	entry := ct.LogEntry{Leaf: ct.MerkleTreeLeaf{Version: ct.V1, LeafType: ct.TimestampedEntryLeafType,
		TimestampedEntry: &ct.TimestampedEntry{Timestamp: sct.Timestamp, EntryType: ct.PrecertLogEntryType,
			PrecertEntry: &ct.PreCert{IssuerKeyHash: sha256.Sum256(a.certs[0].RawSubjectPublicKeyInfo), TBSCertificate: tbs}}}}
	input, err := ct.SerializeSCTSignatureInput(sct, entry)
	if err != nil {
		return pkix.Extension{}, err
	}
	signed, err := tls.CreateSignature(*a.ctKey, tls.SHA256, input)
	if err != nil {
		return pkix.Extension{}, err
	}
	sct.Signature = ct.DigitallySigned(signed)
	list, err := x509util.MarshalSCTsIntoSCTList([]*ct.SignedCertificateTimestamp{&sct})
	if err != nil {
		return pkix.Extension{}, err
	}
	text, err := tls.Marshal(*list)
	if err != nil {
		return pkix.Extension{}, err
	}
	value, err := asn1.Marshal(text)
	return pkix.Extension{Id: asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 11129, 2, 4, 2}, Value: value}, err
}

// entryID is the name of an entry in the log.
var entryID = strings.Repeat("0", 80)

// enter is Rekor: it keeps nothing, but signs what it was given, and that it is in the log.
func (a *authorities) enter(r *http.Request) (any, error) {
	asked, err := models.UnmarshalProposedEntry(r.Body, runtime.JSONConsumer())
	if err != nil {
		return nil, err
	}
	checked, err := types.CreateVersionedEntry(asked)
	if err != nil {
		return nil, err
	}
	entry, err := types.CanonicalizeEntry(r.Context(), checked)
	if err != nil {
		return nil, err
	}
	id, err := a.log.RekorLogID()
	if err != nil {
		return nil, err
	}
	now, text := time.Now().Unix(), base64.StdEncoding.EncodeToString(entry)
	promise, err := a.log.RekorSignPayload(tlog.RekorPayload{Body: text, IntegratedTime: now, LogIndex: 0, LogID: id})
	if err != nil {
		return nil, err
	}
	proof, err := a.log.GetInclusionProof(entry)
	if err != nil {
		return nil, err
	}
	return map[string]any{entryID: map[string]any{"body": text, "integratedTime": now, "logID": id,
		"logIndex": 0, "verification": map[string]any{"signedEntryTimestamp": promise, "inclusionProof": proof}}}, nil
}
