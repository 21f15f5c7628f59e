package options_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
)

func TestValidate(t *testing.T) {
	long := strings.Repeat("a", 55)
	const form = `it is a JSON file with an entry for each registry under "auths", as console.redhat.com gives it`
	for name, tc := range map[string]struct {
		change func(*options.Cluster)
		want   string
	}{
		"defaults":   {nil, ""},
		"everything": {optionstest.Everything, ""},
		"no workers": {func(o *options.Cluster) { o.Pool().Replicas, o.Wait = 0, options.WaitAPI }, ""},
		"no name":    {func(o *options.Cluster) { o.Name = "" }, "--name: a name is needed, such as kv-00"},
		"upper case": {func(o *options.Cluster) { o.Name = "KV" }, `--name "KV": must consist of lower case ` +
			`letters, digits and dashes, begin and end with a letter or digit, and have at most 63 characters`},
		"called clusters": {func(o *options.Cluster) { o.Name = "clusters" }, `--name "clusters": HyperShift does ` +
			`not allow a hosted cluster named clusters`},
		"called local-cluster": {func(o *options.Cluster) { o.Name = "local-cluster" }, `--name "local-cluster": the ` +
			`multicluster engine calls the management cluster so`},
		"too long together": {func(o *options.Cluster) { o.Name = long }, `--name "` + long + `": too long together ` +
			`with its namespace: the control plane's namespace would be "clusters-` + long + `", 64 characters; namespaces ` +
			`have at most 63, so the name may have 54 here`},
		"just short enough": {func(o *options.Cluster) { o.Name = long[1:] }, ""},
		"bad namespace": {func(o *options.Cluster) { o.Namespace = "a.b" }, `--namespace "a.b": must consist of ` +
			`lower case letters, digits and dashes, begin and end with a letter or digit, and have at most 63 characters`},
		"namespace of the platform": {func(o *options.Cluster) { o.Namespace = "kube-system" }, `--namespace "kube-system": ` +
			`the namespace kube-system belongs to the platform, and cannot hold hosted clusters`},
		"called like the platform": {func(o *options.Cluster) { o.Name = "openshift-config" }, `--name "openshift-config": ` +
			`a namespace of the platform is called so, and importing the cluster would need one of this name`},
		"control plane of the platform": {func(o *options.Cluster) { o.Namespace, o.Name = "multicluster", "engine" },
			`--name "engine": the namespace of its control plane would be multicluster-engine, which belongs to the platform`},
		"negative replicas": {func(o *options.Cluster) { o.Pool().Replicas = -1 }, `--node-pool-replicas "-1": the ` +
			`number of workers cannot be negative`},
		"memory typo": {func(o *options.Cluster) { o.Pool().Memory = "8G1" }, `--memory "8G1": not an amount of ` +
			`memory; write it like 8Gi, 16Gi or 8192Mi`},
		"memory in bytes": {func(o *options.Cluster) { o.Pool().Memory = "8" }, `--memory "8": that is 8 bytes, too ` +
			`little for a worker; did you mean 8Gi?`},
		"memory, one": {func(o *options.Cluster) { o.Pool().Memory = "1" }, `--memory "1": that is 1 bytes, too ` +
			`little for a worker; did you mean 2Gi?`},
		"memory in milli": {func(o *options.Cluster) { o.Pool().Memory = "8m" }, `--memory "8m": too little for a ` +
			`worker, which needs at least 2Gi`},
		"memory too small": {func(o *options.Cluster) { o.Pool().Memory = "512Mi" }, `--memory "512Mi": too little ` +
			`for a worker, which needs at least 2Gi`},
		"negative memory": {func(o *options.Cluster) { o.Pool().Memory = "-8Gi" }, `--memory "-8Gi": too little for ` +
			`a worker, which needs at least 2Gi`},
		"no cores": {func(o *options.Cluster) { o.Pool().Cores = 0 }, `--cores "0": a worker needs at ` +
			`least one core`},
		"small disk": {func(o *options.Cluster) { o.Pool().RootVolumeSize = 15 }, `--root-volume-size "15": a ` +
			`worker's root volume needs at least 16 (Gi)`},
		"image with a space": {func(o *options.Cluster) { o.ReleaseImage = "quay.io/a b" }, `--release-image "quay.io/a ` +
			`b": not an image reference; write it like quay.io/openshift-release-dev/ocp-release:4.20.3-multi`},
		"base domain": {func(o *options.Cluster) { o.BaseDomain = "Example.com" }, `--base-domain "Example.com": ` +
			`not a DNS name; write it like example.com, in lower case`},
		"etcd storage class": {func(o *options.Cluster) { o.EtcdStorageClass = "a b" }, `--etcd-storage-class "a b": ` +
			`not a name of a StorageClass`},
		"wait": {func(o *options.Cluster) { o.Wait = "long" }, `--wait "long": must be one of none, api, ` +
			`nodes, complete, healthy`},
		"complete, nothing": {func(o *options.Cluster) { o.Pool().Replicas = 0 }, `--wait "complete": without workers ` +
			`(--node-pool-replicas 0) the roll-out never completes; use --wait api`},
		"pull secret not JSON": {secretFrom("{\n  \"auths\": {]"), `--pull-secret "ps.json": the pull secret is not ` +
			`valid JSON: line 2, character 13; ` + form},
		"pull secret empty": {secretFrom(" \n"), `--pull-secret "ps.json": the pull secret is empty; ` + form},
		"pull secret a list": {secretFrom(`{"auths":[]}`), `--pull-secret "ps.json": the pull secret is not valid JSON ` +
			`of the expected form: auths has the wrong type, array; ` + form},
		"pull secret of none": {secretFrom(`{"auths":{}}`), `--pull-secret "ps.json": the pull secret names no ` +
			`registry; ` + form},
		"pull secret no auth": {secretFrom(`{"auths":{"quay.io":{}}}`), `--pull-secret "ps.json": the pull secret has ` +
			`no auth for registry "quay.io"`},
		"pull secret not 64": {secretFrom(`{"auths":{"quay.io":{"auth":"s3cret!"}}}`), `--pull-secret "ps.json": the ` +
			`pull secret's auth for registry "quay.io" is not base64`},
		"pull secret no colon": {secretFrom(`{"auths":{"quay.io":{"auth":"c2VjcmV0"}}}`), `--pull-secret "ps.json": the ` +
			`pull secret's auth for registry "quay.io" is not base64 of user:password`},
		"ssh key private": {keyFrom("-----BEGIN OPENSSH PRIVATE KEY-----\n"), `--ssh-key "id.pub": that is a ` +
			`private key; give the public one, whose name mostly ends in .pub`},
		"ssh key garbage": {keyFrom("# mine\nssh-ed25519 hello\n"), `--ssh-key "id.pub": line 2 is not a public key ` +
			`of the form "ssh-ed25519 AAAA... comment"`},
		"ssh key of other type": {keyFrom("ssh-rsa" + optionstest.GoodKey[len("ssh-ed25519"):]), `--ssh-key "id.pub": ` +
			`line 1 is not a public key of the form "ssh-ed25519 AAAA... comment"`},
		"ssh key empty":        {keyFrom(""), `--ssh-key "id.pub": there is no public key in it`},
		"ssh key with options": {keyFrom(`from="10.0.0.1" ` + optionstest.GoodKey), ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := optionstest.Refusal(optionstest.Named(tc.change))
			got := ""
			if err != nil {
				got = err.Error()
				var flag *options.Error
				if !errors.As(err, &flag) || flag.Failure() != failure.Misused {
					t.Errorf("%T is no *options.Error", err)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestValidateTellsAllProblemsAtOnce(t *testing.T) {
	err := optionstest.Refusal(optionstest.Named(
		func(o *options.Cluster) { o.Name, o.Pool().Memory, o.Pool().Cores = "A", "8G1", 0 },
	))
	if n := strings.Count(err.Error(), "\n") + 1; n != 3 {
		t.Errorf("%d problems told, want 3:\n%v", n, err)
	}
}

func TestPullSecretErrorsNeverShowCredentials(t *testing.T) {
	secret := "hunter2"
	encoded := base64.StdEncoding.EncodeToString([]byte(secret))
	for _, content := range []string{
		`{"auths":{"quay.io":{"auth":"` + encoded + `"}}}`,
		`{"auths":{"quay.io":{"auth":"` + secret + `!"}}}`,
		`{"auths":{"quay.io":{"auth":"` + encoded + `"`,
		`{"auths":{"quay.io":"` + encoded + `"}}`,
		encoded,
	} {
		err := optionstest.Refusal(optionstest.Named(secretFrom(content)))
		if err == nil {
			t.Fatalf("%s passed", content)
		}
		if s := err.Error(); strings.Contains(s, secret) || strings.Contains(s, encoded) {
			t.Errorf("credential shown: %s", s)
		}
	}
}

func secretFrom(content string) func(*options.Cluster) {
	return func(o *options.Cluster) { o.PullSecret.Content, o.PullSecret.Path = []byte(content), "ps.json" }
}

func keyFrom(content string) func(*options.Cluster) {
	return func(o *options.Cluster) { o.SSHKey.Content, o.SSHKey.Path = []byte(content), "id.pub" }
}
