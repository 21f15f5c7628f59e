package cli

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// kv00Options end with the path of a pull secret.
const kv00Options = "--name kv-00 --release-image quay.io/ocp/release:4.20.3-x86_64 --infra-id kv-00-abcde " +
	"--pull-secret "

// rendered are the objects of a hosted cluster kv-00, by their paths, as hcctl makes them with those options.
func rendered(t *testing.T, options string) map[string]any {
	t.Helper()
	code, stdout, stderr := hcctl(t, strings.Fields("create cluster "+options+" --render --render-sensitive")...)
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	objects := map[string]any{"/version": values{"gitVersion": "v1.33.5"}}
	for _, text := range strings.Split(stdout, "\n---\n") {
		o := values{}
		if err := yaml.Unmarshal([]byte(text), &o); err != nil {
			t.Fatal(err)
		}
		name := o["metadata"].(values)["name"].(string)
		path := map[any]string{
			"Namespace": "/api/v1/namespaces/", "Secret": "/api/v1/namespaces/clusters/secrets/", "HostedCluster": hostedPath +
				"/",
			"NodePool": "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/nodepools/",
		}[o["kind"]]
		if content, plain := o["stringData"].(values); plain {
			for key, value := range content {
				o["data"] = values{key: in64([]byte(value.(string)))}
			}
			delete(o, "stringData")
		}
		objects[path+name] = o
	}
	return objects
}

// besieged is a management cluster with those objects, whose hosted cluster kv-00 is up as far as its API, and has the
// content for a kubeconfig.
func besieged(t *testing.T, objects map[string]any, content string) string {
	t.Helper()
	conditions := []any{}
	for _, name := range []string{"ValidConfiguration", "ValidReleaseImage", "InfrastructureReady", "EtcdAvailable",
		"Available"} {
		conditions = append(conditions, values{
			"type": name, "status": "True", "reason": "AsExpected", "lastTransitionTime": "2024-01-01T00:00:00Z",
		})
	}
	kv00 := maps.Clone(objects[hostedPath+"/kv-00"].(values))
	kv00["status"] = values{
		"kubeconfig":        values{"name": "kv-00-admin-kubeconfig"},
		"kubeadminPassword": values{"name": "kv-00-kubeadmin-password"}, "conditions": conditions,
	}
	list := func(kind string, items ...any) values {
		return values{
			"apiVersion": "hypershift.openshift.io/v1beta1", "kind": kind + "List",
			"metadata": values{"resourceVersion": "1"}, "items": items,
		}
	}
	secret := func(name, key, content string) values {
		s := secretOf(key, content)
		s["apiVersion"], s["kind"] = "v1", "Secret"
		s["metadata"] = values{"namespace": "clusters", "name": name, "uid": "s", "resourceVersion": "1"}
		return s
	}
	secrets := "/api/v1/namespaces/clusters/secrets"
	admin := secret("kv-00-admin-kubeconfig", "kubeconfig", content)
	world := maps.Clone(objects)
	maps.Copy(world, map[string]any{
		hostedPath: list("HostedCluster", kv00), hostedPath + "/kv-00": kv00,
		"/apis/hypershift.openshift.io/v1beta1/hostedclusters":                list("HostedCluster", kv00),
		"/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/nodepools": list("NodePool"),
		secrets: list("Secret", admin), secrets + "/kv-00-admin-kubeconfig": admin,
		secrets + "/kv-00-kubeadmin-password": secret("kv-00-kubeadmin-password", "password", "aaaaa-bbbbb"),
	})
	s := httptest.NewServer(silent(world))
	t.Cleanup(s.CloseClientConnections)
	return s.URL
}

// silent answers reads with the objects, by their paths and one by one in lists of that name. It takes no writes, and
// its watches stay silent.
func silent(objects map[string]any) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, one := strings.CutPrefix(r.URL.Query().Get("fieldSelector"), "metadata.name=")
		switch {
		case r.Method != http.MethodGet:
			w.WriteHeader(http.StatusForbidden)
		case r.URL.Query().Get("watch") != "":
			w.Header().Set("Content-Type", "application/json")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		case one:
			items := []any{}
			if o := objects[r.URL.Path+"/"+name]; o != nil {
				items = append(items, o)
			}
			_ = json.NewEncoder(w).Encode(values{
				"apiVersion": "v1", "kind": "List", "metadata": values{"resourceVersion": "1"}, "items": items,
			})
		default:
			answers(objects)(w, r)
		}
	})
}
