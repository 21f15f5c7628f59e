package release_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sigstore/sigstore-go/pkg/sign"
	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/encoding/protojson"
)

// verifier is the path of cosign or gh, which make builds from their modules for these tests.
func verifier(t *testing.T, name string) string {
	t.Helper()
	program, err := filepath.Abs(filepath.Join("../../bin/verifiers", name))
	if err != nil {
		t.Fatal(err)
	}
	if !exists(program) {
		t.Fatalf("%s is not built: make test-release builds it", program)
	}
	return program
}

// nowhere sends whoever asks the internet to a port that nobody listens at: what these programs need is in files.
var nowhere = []string{"HTTPS_PROXY=http://127.0.0.1:9", "HTTP_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.1"}

// signs runs cosign for a file with the arguments that goreleaser gives it, and what more is said.
func signs(t *testing.T, file, home string, env []string, more ...string) {
	t.Helper()
	var config struct{ Signs []struct{ Args []string } }
	if err := yaml.Unmarshal(read(t, "../../.goreleaser.yaml"), &config); err != nil || len(config.Signs) != 1 {
		t.Fatalf("%+v, %v", config, err)
	}
	var args []string
	for _, arg := range config.Signs[0].Args {
		arg = strings.ReplaceAll(arg, "${signature}", file+".sigstore.json")
		args = append(args, strings.ReplaceAll(arg, "${artifact}", file))
	}
	cmd := exec.CommandContext(t.Context(), verifier(t, "cosign"), slices.Concat(args, more)...)
	cmd.Env = slices.Concat([]string{"HOME=" + home, "PATH=/usr/bin:/bin"}, nowhere, env)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
}

// attest makes provenance of every file of the release, as actions/attest-build-provenance does: a token of the job, a
// certificate for it, a signed statement, an entry in the log.
func (a *authorities) attest(t *testing.T) []byte {
	t.Helper()
	key, err := sign.NewEphemeralKeypair(nil)
	if err != nil {
		t.Fatal(err)
	}
	made, err := sign.Bundle(&sign.DSSEData{Data: provenance(t), PayloadType: "application/vnd.in-toto+json"}, key,
		sign.BundleOptions{Context: t.Context(),
			CertificateProvider:        sign.NewFulcio(&sign.FulcioOptions{BaseURL: a.url}),
			CertificateProviderOptions: &sign.CertificateProviderOptions{IDToken: a.tokenFor("sigstore")},
			TransparencyLogs:           []sign.Transparency{sign.NewRekor(&sign.RekorOptions{BaseURL: a.url})}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := protojson.Marshal(made)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// verification are the commands of docs/install.md that verify, in a shell where cosign and gh are those of these
// tests, trust the test's authorities where the page does not say whom to trust, and reach nothing beyond this machine.
type verification struct {
	commands  []string
	directory string
	env       []string
}

// trusting is a directory with cosign and gh that trust the authorities, unless they are told whom to trust.
func trusting(t *testing.T, a *authorities) string {
	t.Helper()
	tools := t.TempDir()
	for program, flag := range map[string]string{"cosign": "--trusted-root", "gh": "--custom-trusted-root"} {
		script := fmt.Sprintf("#!/bin/sh\ncase \"$*\" in *%[1]s*) ;; *) set -- \"$@\" %[1]s %[2]s ;; esac\nexec %[3]s \"$@\"\n",
			flag, filepath.Join(a.directory, "trusted_root.json"), verifier(t, program))
		if err := os.WriteFile(filepath.Join(tools, program), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return tools
}

func newVerification(t *testing.T, a *authorities, tag string) *verification {
	t.Helper()
	v := &verification{directory: t.TempDir()}
	home, tools := t.TempDir(), trusting(t, a)
	v.env = slices.Concat([]string{"HOME=" + home, "PATH=" + tools + ":/usr/bin:/bin", "version=" + tag}, nowhere)
	name := here(t).Name
	for file, text := range map[string][]byte{name: read(t, here(t).Path),
		"checksums.txt":      read(t, filepath.Join(dist(t), "checksums.txt")),
		"trusted_root.jsonl": read(t, filepath.Join(a.directory, "trusted_root.json"))} {
		v.write(t, file, text)
	}
	v.commands = commandsOf(t, "install.md", "tested in hack/release: TestVerify")
	return v
}

func (v *verification) write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(v.directory, name), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// run runs the commands and returns those of cosign and gh that accept, and what the others say.
func (v *verification) run(t *testing.T) (accepted []string, refused string) {
	t.Helper()
	for _, line := range v.commands {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
		cmd.Dir, cmd.Env = v.directory, v.env
		said, err := cmd.CombinedOutput()
		program := strings.Fields(line)[0]
		verifies := program == "cosign" || program == "gh"
		switch {
		case err != nil && !verifies:
			t.Fatalf("%s: %v\n%s", line, err, said)
		case err != nil:
			refused += fmt.Sprintf("%s: %v\n%s", line, err, said)
		case verifies:
			accepted = append(accepted, line)
		}
	}
	return accepted, refused
}

// TestVerify signs and attests with cosign and sigstore's clients as the workflow does, token and all, and verifies
// by exactly the commands of docs/install.md, with cosign and gh themselves.
func TestVerify(t *testing.T) {
	const tag = "v1.2.3"
	a := newAuthorities(t)
	v := newVerification(t, a, tag)
	file := filepath.Join(v.directory, "checksums.txt")
	by := func(job claims) {
		t.Helper()
		a.job = job
		signs(t, file, t.TempDir(), a.environment(), "--signing-config="+filepath.Join(a.directory, "signing_config.json"),
			"--trusted-root="+filepath.Join(a.directory, "trusted_root.json"))
		v.write(t, "provenance.sigstore.json", a.attest(t))
	}
	by(releaseJob(tag))
	if accepted, refused := v.run(t); len(accepted) != 4 {
		t.Fatalf("of what the release's workflow made, %d of 4 commands accept:\n%s", len(accepted), refused)
	}
	refuse := func(what string) {
		t.Helper()
		if accepted, _ := v.run(t); len(accepted) > 0 {
			t.Errorf("%s is accepted by %q", what, accepted)
		}
	}

	for name, change := range map[string]func(*claims){
		"another tag":      func(c *claims) { *c = releaseJob("v1.2.4") },
		"a branch":         func(c *claims) { c.Ref, c.Workflow = "refs/heads/x", strings.Split(c.Workflow, "@")[0]+"@refs/heads/x" },
		"another workflow": func(c *claims) { c.Workflow = strings.ReplaceAll(c.Workflow, "release.yml", "ci.yml") },
		"a fork": func(c *claims) {
			c.Repository, c.Owner, c.Workflow = "fork/hcctl", "fork", strings.Replace(c.Workflow, "hcctl/", "fork/", 1)
		},
		"another issuer": func(c *claims) { c.Issuer = "https://issuer.example.com" },
	} {
		job := releaseJob(tag)
		change(&job)
		by(job)
		refuse(name)
	}
	// Other authorities than those that are trusted.
	stranger := newAuthorities(t)
	stranger.job = releaseJob(tag)
	signs(t, file, t.TempDir(), stranger.environment(),
		"--signing-config="+filepath.Join(stranger.directory, "signing_config.json"),
		"--trusted-root="+filepath.Join(stranger.directory, "trusted_root.json"))
	v.write(t, "provenance.sigstore.json", stranger.attest(t))
	refuse("what other authorities signed")
	// Files that were changed after they were signed.
	by(releaseJob(tag))
	v.write(t, "checksums.txt", append(read(t, file), '\n'))
	v.write(t, here(t).Name, append(read(t, here(t).Path), 0))
	refuse("a changed file")
}

// TestInstallScriptVerifies has install.sh verify by cosign itself what the workflow signed for this version, and what
// it signed for another.
func TestInstallScriptVerifies(t *testing.T) {
	a := newAuthorities(t)
	for tag, installs := range map[string]bool{"v" + version(t): true, "v1.2.4": false} {
		a.job = releaseJob(tag)
		home, file := t.TempDir(), filepath.Join(t.TempDir(), "checksums.txt")
		if err := os.WriteFile(file, read(t, filepath.Join(dist(t), "checksums.txt")), 0o600); err != nil {
			t.Fatal(err)
		}
		signs(t, file, home, a.environment(), "--signing-config="+filepath.Join(a.directory, "signing_config.json"),
			"--trusted-root="+filepath.Join(a.directory, "trusted_root.json"))
		signed := secureSite(t, map[string][]byte{"checksums.txt.sigstore.json": read(t, file+".sigstore.json")})
		cmd := exec.CommandContext(t.Context(), "sh", "install.sh")
		cmd.Env = slices.Concat(signed, []string{"HOME=" + home, "PATH=" + trusting(t, a) + ":/usr/bin:/bin"}, nowhere)
		out, err := cmd.CombinedOutput()
		if installed := exists(filepath.Join(home, ".local/bin/hcctl")); installed != installs || (err == nil) != installs {
			t.Errorf("signed for %s: %v, installed: %v\n%s", tag, err, installed, out)
		}
	}
}

// TestCosignKey signs by cosign with a key of a file and no log, which is what somebody does who builds hcctl for
// others, and verifies by cosign.
func TestCosignKey(t *testing.T) {
	home, directory := t.TempDir(), t.TempDir()
	env := []string{"COSIGN_PASSWORD=secret"}
	cosign := func(args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), verifier(t, "cosign"), args...)
		cmd.Dir, cmd.Env = directory, slices.Concat([]string{"HOME=" + home, "PATH=/usr/bin:/bin"}, nowhere, env)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for _, prefix := range []string{"own", "other"} {
		if out, err := cosign("generate-key-pair", "--output-key-prefix="+prefix); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	config, err := json.Marshal(map[string]string{"mediaType": "application/vnd.dev.sigstore.signingconfig.v0.2+json"})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(directory, "checksums.txt")
	for name, text := range map[string][]byte{file: read(t, filepath.Join(dist(t), "checksums.txt")),
		filepath.Join(directory, "no_log.json"): config} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	signs(t, file, home, env, "--key="+filepath.Join(directory, "own.key"),
		"--signing-config="+filepath.Join(directory, "no_log.json"))
	verify := func(key string) error {
		_, err := cosign("verify-blob", "--key="+key, "--insecure-ignore-tlog", "--bundle="+file+".sigstore.json", file)
		return err
	}
	if err := verify("own.pub"); err != nil {
		t.Errorf("the signature is refused: %v", err)
	}
	if verify("other.pub") == nil {
		t.Error("the signature of another key is accepted")
	}
	if err := os.WriteFile(file, append(read(t, file), '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	if verify("own.pub") == nil {
		t.Error("a changed file is accepted")
	}
}
