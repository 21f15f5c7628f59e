package redact

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// mark is in every secret of these tests, and must be in nothing that comes out.
const mark = "hunter2Zq7"

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

const pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow" + mark + "AKCAQEA\nabc+/=\n-----END RSA PRIVATE KEY-----"

func TestTextHidesSecrets(t *testing.T) {
	kubeconfig := "users:\n- name: admin\n  user:\n    client-key-data: " + b64(pem) + "\n    token: " + mark + "xyz\n"
	for name, s := range map[string]string{
		"a private key":                "got " + pem + " from it",
		"with written line breaks":     `"key":"` + strings.ReplaceAll(pem, "\n", `\n`) + `"`,
		"whose end is cut off":         pem[:40],
		"whose begin is cut off":       "abc" + mark + "==\n-----END PRIVATE KEY-----\nI0101 started",
		"in base64":                    "data " + b64(pem) + " end",
		"base64 in base64":             b64("key " + b64(pem)),
		"a kubeconfig":                 kubeconfig,
		"a kubeconfig in base64":       "kc=" + b64(kubeconfig),
		"a JSON web token":             "token eyJhbGciOiJSUzI1NiJ9." + mark + "." + mark,
		"OpenShift's token":            "login with sha256~" + mark + "abcdefgh worked",
		"an authorization header":      "Authorization: Bearer " + mark,
		"basic authorization":          "header Basic " + b64("user:"+mark),
		"a user in a URL":              "GET https://bob:" + mark + "@registry.example/v2/ 200",
		"name=value":                   "starting with password=" + mark + " and more",
		"quoted":                       `db_password="` + mark + ` with spaces"`,
		"YAML":                         "  clientSecret: " + mark,
		"YAML, single quotes":          "  adminPassword: '" + mark + "'",
		"JSON":                         `{"user":"x","access_token":"` + mark + `"}`,
		"JSON in a string":             `msg="{\"password\":\"` + mark + `\",\"a\":1}"`,
		"JSON in a string in a string": `{"m":"{\\\"token\\\":\\\"` + mark + `\\\"}"}`,
		"a flag with =":                "/bin/x --api-token=" + mark + " --v=2",
		"a flag with a space":          "/bin/x --api-token " + mark + " --v=2",
		"an encryption configuration":  "- aescbc:\n    keys:\n    - name: key1\n      secret: " + b64(mark+mark) + "\n",
		"registry credentials":         `{"auths":{"quay.io":{"auth":"` + b64("u:"+mark) + `"}}}`,
		"registry credentials in base64": b64(`{"auths":{"quay.io":{"auth":"` + b64("u:"+mark+mark) +
			`","email":"a@b"}}}`),
		"a password's hash": "admin:$2y$05$" + mark + "abcdefgh",
		"a cloud's key":     "aws_access_key_id = AKIA" + strings.ToUpper(mark) + "ABCD",
		"ignition's userdata": `userData: {"ignition":{"config":{"merge":[{"httpHeaders":[{"name":"Authorization",` +
			`"value":"Bearer ` + b64(mark) + `"}]}]}}}`,
		"a block of YAML": "a: 1\npassword: |\n  " + mark + "\n  more " + mark + "\nb: 2",
		"a Secret's manifest": "kind: ConfigMap\n---\napiVersion: v1\nkind: Secret\ndata:\n  x: " + b64(mark) +
			"\nstringData:\n  y: " + mark + "\n",
		"a List with a Secret": "apiVersion: v1\nkind: List\nitems:\n- kind: Secret\n  data:\n    x: " +
			b64(mark) + "\n",
		"a Secret in a log's line": `I0101 Response Body: {"kind":"Secret","apiVersion":"v1","metadata":{` +
			`"name":"x"},"data":{"y":"` + b64(mark) + `"}}`,
		"an environment variable in a dump": "KUBEADMIN_PASSWORD=" + mark,
	} {
		t.Run(name, func(t *testing.T) {
			got := (&Redactor{}).Text(s)
			hidden(t, got)
			if !strings.Contains(got, "<redacted: ") {
				t.Errorf("nothing says that something was taken out: %s", got)
			}
		})
	}
}

// hidden fails if the mark is in s, plainly or in base64.
func hidden(t *testing.T, s string) {
	t.Helper()
	for _, form := range []string{mark, strings.ToUpper(mark), b64(pem)[20:60], b64(mark)[:12]} {
		if strings.Contains(s, form) {
			t.Errorf("%q is still in it: %s", form, s)
		}
	}
}

// What tells no secret stays, or a dump would be of no use.
func TestTextKeepsTheRest(t *testing.T) {
	for _, s := range []string{
		"Secret clusters/kv-00-pull-secret not found",
		"pull secret unavailable: Secret \"kv-00-pull-secret\" not found",
		"waiting for token to be issued",
		"--tls-private-key-file=/etc/kubernetes/tls.key --kubeconfig=/etc/kubeconfig " +
			"--authentication-token-webhook-config-file=/x",
		"secretName: kv-00-pull-secret",
		"automountServiceAccountToken: false",
		"-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJRTES\n-----END " +
			"CERTIFICATE-----",
		"quay.io/openshift-release-dev/ocp-release@sha256:3f7a5f9e2a0c1c6e5f9d1b8b7a6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a4203",
		"I1121 11:39:32.105573 1 controller.go:115] Reconciling key clusters/kv-00: resourceVersion=1234",
		"topologyKey: kubernetes.io/hostname",
	} {
		if got := (&Redactor{}).Text(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
}

func TestObjectHidesSecrets(t *testing.T) {
	r := &Redactor{}
	r.known.learn(map[string][]byte{"value": []byte("s3cr3t-" + mark), "ca.crt": []byte("not secret at all"),
		"short": []byte("abc")})
	secret := `{"apiVersion":"v1","kind":"Secret","data":{"a":"` + b64(mark) + `"}}`
	objects := map[string]string{
		"a Secret": `{"kind":"Secret","metadata":{"name":"s","annotations":{"` + lastApplied + `":` +
			quoted(secret) + `}},"data":{"a":"` + b64(mark) + `"},"stringData":{"b":"` + mark + `"}}`,
		"a List of Secrets": `{"kind":"ConfigMap","metadata":{},"data":{"x":` + quoted(secret) + `}}`,
		"a ConfigMap": `{"kind":"ConfigMap","metadata":{},"data":{"config.yaml":"bindPassword: ` + mark +
			`","password":"` + mark + `"},"binaryData":{"k":"` + b64(mark) + `"}}`,
		"a Pod": `{"kind":"Pod","metadata":{"annotations":{"x/jsonpatch":"[{\"value\":{\"password\":\"` + mark +
			`\"}}]"}},"spec":{"containers":[{"env":[{"name":"DB_PASSWORD","value":"` + mark + `"}],
			"args":["--token","` + mark + `","--v","2"],"command":["sh","-c","login -p=x --password=` + mark + `"]}]}}`,
		"a VirtualMachine": `{"kind":"VirtualMachine","metadata":{},"spec":{"volumes":[{"cloudInitConfigDrive":{` +
			`"userData":"#cloud ` + mark + `","networkDataBase64":"` + b64(mark) + `"}}]}}`,
		"a known value": `{"kind":"ConfigMap","metadata":{"annotations":{"note":"it is s3cr3t-` + mark +
			`, mind"}},"data":{"x":"` + b64("s3cr3t-"+mark) + `"}}`,
		"a header":            `{"kind":"X","spec":{"headers":[{"name":"Authorization","value":"` + mark + `"}]}}`,
		"a field by its name": `{"kind":"X","spec":{"clientSecret":"` + mark + `","tls":{"key-data":"` + mark + `"}}}`,
	}
	for name, text := range objects {
		t.Run(name, func(t *testing.T) {
			u := &unstructured.Unstructured{}
			if err := json.Unmarshal([]byte(text), &u.Object); err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(r.Object(u))
			if err != nil {
				t.Fatal(err)
			}
			hidden(t, string(got))
		})
	}
	kept := `{"kind":"HostedCluster","metadata":{"name":"kv-00"},"spec":{"pullSecret":{"name":"kv-00-pull-secret"},` +
		`"secretEncryption":{"aescbc":{"activeKey":{"name":"kv-00-etcd-encryption-key"}},"type":"aescbc"}}}`
	u := &unstructured.Unstructured{}
	if err := json.Unmarshal([]byte(kept), &u.Object); err != nil {
		t.Fatal(err)
	}
	if got, _ := json.Marshal(r.Object(u)); string(got) != kept {
		t.Errorf("%s became %s", kept, got)
	}
}

func quoted(s string) string {
	data, _ := json.Marshal(s)
	return string(data)
}

func TestSizes(t *testing.T) {
	u := &unstructured.Unstructured{Object: map[string]any{"kind": "Secret",
		"data": map[string]any{"key": b64("0123456789")}}}
	if got := (&Redactor{}).Object(u)["data"].(map[string]any)["key"]; got != "<redacted: 10 bytes>" {
		t.Errorf("got %v", got)
	}
}
