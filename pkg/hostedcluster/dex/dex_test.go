package dex

import (
	"os"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

func everything(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile("testdata/everything.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestParse(t *testing.T) {
	c, err := Parse([]byte(everything(t)))
	if err != nil {
		t.Fatal(err)
	}
	if c.Issuer() != "https://dex.kv-00.example.com:5556/dex" || c.Host() != "dex.kv-00.example.com" ||
		c.Port() != 5556 || c.Path() != "/dex" || c.Storage() != "memory" || c.NeedsSessions() || !c.Given() {
		t.Errorf("%s %s %d %s %s %t", c.Issuer(), c.Host(), c.Port(), c.Path(), c.Storage(), c.NeedsSessions())
	}
	if (Config{}).Given() {
		t.Error("nothing is given")
	}
}

func TestRender(t *testing.T) {
	c, err := Parse([]byte(everything(t)))
	if err != nil {
		t.Fatal(err)
	}
	d := Deployment{Listen: "0.0.0.0:5556", Cert: "/tls/tls.crt", Key: "/tls/tls.key", Clients: []Client{
		{ID: ConsoleClient, Name: "console", Secret: "s", RedirectURIs: []string{"https://console/auth/callback"}},
		{ID: CLIClient, Name: "oc"}}}
	first, err := c.Render(d)
	if err != nil {
		t.Fatal(err)
	}
	again, err := c.Render(d)
	if err != nil || string(first) != string(again) {
		t.Errorf("two renderings differ: %v", err)
	}
	var got struct {
		Web struct {
			HTTPS, TLSCert, TLSKey string
			Headers                map[string]string
		}
		StaticClients []struct {
			ID, Secret   string
			Public       bool
			RedirectURIs []string
		}
		StaticPasswords []struct{ Hash string }
		Expiry          struct{ IDTokens string }
	}
	if err := yaml.Unmarshal(first, &got); err != nil {
		t.Fatal(err)
	}
	if got.Web.HTTPS != "0.0.0.0:5556" || got.Web.TLSCert != "/tls/tls.crt" || got.Web.TLSKey != "/tls/tls.key" ||
		got.Web.Headers["X-Frame-Options"] != "deny" || got.Expiry.IDTokens != "10m" ||
		!strings.HasPrefix(got.StaticPasswords[0].Hash, "$2a$10$2b2c") {
		t.Errorf("%+v", got)
	}
	if len(got.StaticClients) != 3 || got.StaticClients[0].ID != "example-app" || got.StaticClients[1].Secret != "s" ||
		got.StaticClients[1].RedirectURIs[0] != "https://console/auth/callback" || !got.StaticClients[2].Public {
		t.Errorf("%+v", got.StaticClients)
	}
}

// TestParseRefuses: each is one change of a file that is right, and one sentence with line and field.
func TestParseRefuses(t *testing.T) {
	const (
		client   = "- id: example-app"
		password = "  username: admin"
		again    = "- {email: admin@example.com, hash: $2a$10$2b2cU8CPhOTaGrs1HRQuAueS7JTT5ZHsHSzYiFPm1leZck7Mc8T4W}"
	)
	for name, tc := range map[string]struct{ old, new, want string }{
		"a connector's type": {"type: ldap", "type: lpad", `line 13: connectors[0].type: "lpad" is none of keystone`},
		"a misspelled field": {"bindDN:", "bindDm:",
			"line 18: connectors[0].config.bindDm: is no field that hcctl knows of Dex, which may ignore it; is bindDN meant?"},
		"at the top":          {"expiry:", "expire:", "line 9: expire: is no field that hcctl knows of Dex"},
		"a type that is near": {"type: samlExperimental", "type: samlExperimentl", "; is samlExperimental meant?"},
		"a connector's callback": {"example.com:5556/dex/callback", "example.com/callback",
			"config.redirectURI: must be Dex's own https://dex.kv-00.example.com:5556/dex/callback"},
		"a client's callback": {"http://127.0.0.1:5555/callback", "127.0.0.1/callback",
			"staticClients[0].redirectURIs[0]: must be a URL such as"},
		"a client's name":    {"  name: Example", "", "staticClients[0].name: is missing, and Dex needs it"},
		"a connector's name": {"  name: Directory", "", "connectors[0].name: is missing, and Dex needs it"},
		"a date":             {"hint: ask the team", "hint: 2026-01-01", "frontend.extra.hint: must be a text: put it in"},
		"a name in numbers":  {"{hint: ask the team}", "{1: ask}", "the name of a field must be a text"},
		"not in JSON":        {"hint: ask the team", "hint: .inf", "has a value that JSON does not have"},
		"no object": {"web:\n  headers: {X-Frame-Options: deny}\n  allowedOrigins: [\"*\"]", "web: 3",
			"line 5: web: must have fields"},
		"a merge":     {"storage:\n  type: memory", "storage: {<<: {type: memory}}", "put it in quotes"},
		"twice":       {"logger:", "web: {}\nlogger:", "line 10: web: stands here twice, first in line 5"},
		"an id twice": {"id: saml", "id: ldap", "connectors[1].id: is that of connectors[0] as well"},
		"no issuer": {"issuer: https://dex.kv-00.example.com:5556/dex", "",
			"issuer: is missing, and Dex needs it"},
		"issuer without TLS": {"issuer: https", "issuer: http", "line 2: issuer: must begin with https://"},
		"issuer with a query": {":5556/dex", ":5556/dex?a=b",
			"line 2: issuer: must have neither a user nor a query"},
		"issuer's port":          {":5556/dex", ":99999/dex", "line 2: issuer: its port is none between 1 and 65535"},
		"no storage":             {"storage:\n  type: memory", "", "storage: is missing, and Dex needs it"},
		"storage in a file":      {"type: memory", "type: sqlite3", "line 4: storage.type: sqlite3 needs a volume"},
		"storage in the cluster": {"type: memory", "type: kubernetes", "storage.type: kubernetes needs rights"},
		"hcctl's address":        {"web:", "web:\n  https: 0.0.0.0:443", "line 6: web.https: hcctl writes it"},
		"a file in the pod": {"rootCAData: Y2VydGlmaWNhdGU=", "rootCA: /etc/ca.crt",
			"config.rootCA: names a file in Dex's pod"},
		"a variable": {client, "- idEnv: DEX_ID\n  id: a", "staticClients[0].idEnv: names a variable of Dex's environment"},
		"own client": {client, "- id: openshift-cli", "line 32: staticClients[0].id: openshift-cli is the client that hcctl adds"},
		"no secret":  {"  secret: secret-of-the-example\n", "", "staticClients[0].secret: is missing"},
		"a list": {"redirectURIs: [", "redirectURIs: x #",
			"staticClients[0].redirectURIs: must be a list of URLs"},
		"no quotes": {"name: Example", "name: 42",
			"line 33: staticClients[0].name: must be a text: put it in quotes"},
		"no passwords": {"enablePasswordDB: true", "", "staticPasswords: only with enablePasswordDB: true"},
		"no hash": {"hash: $2a$10$", "hash: secret-",
			"line 39: staticPasswords[0].hash: is no bcrypt hash"},
		"hash left out":  {"  hash: ", "  other: ", "staticPasswords[0].hash: is missing"},
		"an email twice": {password, again, "staticPasswords[1].email: is that of staticPasswords[0] as well"},
		"an alias":       {"storage:", "storage: &x", "storage: anchors and aliases are not taken"},
		"no YAML":        {"storage:", "storage: [", "is not YAML: did not find expected ',' or ']'"},
		"two documents":  {"storage:", "---\nstorage:", "has more than one document"},
	} {
		t.Run(name, func(t *testing.T) {
			content := everything(t)
			if !strings.Contains(content, tc.old) {
				t.Fatalf("nothing to replace: %s", tc.old)
			}
			changed := strings.Replace(content, tc.old, tc.new, 1)
			if strings.HasPrefix(tc.new, "- {email") {
				changed = content + tc.new + "\n"
			}
			_, err := Parse([]byte(changed))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got %v\nwant %s", err, tc.want)
			}
			for _, secret := range []string{"hunter2", "secret-of-the-example", "2b2cU8CPh"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("a secret is told: %v", err)
				}
			}
		})
	}
	for content, want := range map[string]string{
		"": "is empty", "[]": "must have fields", "issuer: https://a\nstorage: {type: memory}\n": "there is no way to log in",
		strings.Repeat("#", 1<<20): "has 1048576 bytes, at most 524288 are taken",
	} {
		if _, err := Parse([]byte(content)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v", content, err)
		}
	}
}

// TestFieldsOfALaterDex: what hcctl does not look at is passed on as it is.
func TestFieldsOfALaterDex(t *testing.T) {
	content := strings.Replace(everything(t), "    bindDN:", "    newOfLdap: {a: [1, true]}\n    bindDN:", 1) +
		"newOfDex: {level: 3}\n"
	c, err := Parse([]byte(content))
	if err != nil {
		t.Fatal(err)
	}
	rendered, err := c.Render(Deployment{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"newOfDex:\n  level: 3\n", "    newOfLdap:\n      a:\n      - 1\n      - true\n"} {
		if !strings.Contains(string(rendered), want) {
			t.Errorf("%q is not in\n%s", want, rendered)
		}
	}
}

func FuzzParse(f *testing.F) {
	content, err := os.ReadFile("testdata/everything.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(content)
	f.Add([]byte("issuer: [\n"))
	f.Add([]byte("storage: {type: {}}\nissuer: x"))
	f.Add([]byte("connectors: [{type: [], config: 3}]"))
	f.Fuzz(func(t *testing.T, content []byte) {
		c, err := Parse(content)
		if err != nil {
			return
		}
		if _, err := c.Render(Deployment{Listen: "0.0.0.0:1"}); err != nil {
			t.Error(err)
		}
	})
}
