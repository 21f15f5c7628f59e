package gitops

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// commit changes one file of the repository, and commits that.
func (s *story) commit(file, old, replacement string) {
	s.t.Helper()
	path := filepath.Join(s.repository, filepath.FromSlash(file))
	data, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	if bytes.Count(data, []byte(old)) != 1 {
		s.t.Fatalf("%s has not exactly one %q:\n%s", file, old, data)
	}
	if err := os.WriteFile(path, bytes.Replace(data, []byte(old), []byte(replacement), 1), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.git("commit", "-qam", "Change "+file)
}

// contentChanges: a commit in one overlay changes that environment and no other.
func (s *story) contentChanges(guests map[string]*cluster) {
	s.t.Helper()
	memory := []string{"spec", "template", "spec", "domain", "memory", "guest"}
	s.commit("demo-vm/overlays/dev/virtualmachine.yaml", "guest: 1Gi", "guest: 2Gi")
	guests["dev"].until(machines, "demo", "demo", "2Gi", memory...)
	s.commit("demo-vm/overlays/prod/virtualmachine.yaml", "runStrategy: Halted", "runStrategy: Always")
	guests["prod"].until(machines, "demo", "demo", "Always", "spec", "runStrategy")
	if got := guests["prod"].value(machines, "demo", "demo", memory...); got != "1Gi" {
		s.t.Errorf("memory of prod: %s", got)
	}
	if got := guests["dev"].value(machines, "demo", "demo", "spec", "runStrategy"); got != "Halted" {
		s.t.Errorf("the VM of dev: %s", got)
	}
}

// clusterChanges: dev's node pool is stopped and started by a commit each. The sync that stops it has to end, though it
// has a hook after it and the pool has no nodes then.
func (s *story) clusterChanges() {
	s.t.Helper()
	const file = "clusters/overlays/dev/nodepool-front-dev.yaml"
	s.commit(file, "replicas: 1\n", "replicas: 0\n")
	s.hub.until(nodePools, "dev", "front-dev", "0", "spec", "replicas")
	s.commit(file, "replicas: 0\n", "replicas: 2\n")
	s.hub.until(nodePools, "dev", "front-dev", "2", "spec", "replicas")
	if got := s.hub.value(nodePools, "prod", "front-prod", "spec", "replicas"); got != "1" {
		s.t.Errorf("replicas of prod: %s", got)
	}
}

// noSecrets: the content of the pull secret and the etcd key, and Argo CD's tokens, are nowhere but in Secrets: neither
// in a commit nor in what Argo CD, Open Cluster Management and events say.
func (s *story) noSecrets(guests map[string]*cluster) {
	s.t.Helper()
	marks := map[string]string{"the pull secret": pullMark, "the etcd key": keyMark, "base64 of the etcd key": keyMark64}
	for env := range guests {
		marks["the token of "+env] = s.token(env)
	}
	places := map[string][]byte{"Git": s.git("log", "-p", "--all"), "the rendered files": s.rendered()}
	for name, c := range map[string]*cluster{"hub": s.hub, "dev": guests["dev"], "prod": guests["prod"]} {
		places["events of "+name] = c.dump(events)
	}
	for _, gvk := range []kind{applications, applicationSets, projects, manifestWorks, jobs} {
		places[gvk.Kind] = s.hub.dump(gvk)
	}
	for where, content := range places {
		for what, mark := range marks {
			if bytes.Contains(content, []byte(mark)) {
				s.t.Errorf("%s is in %s", what, where)
			}
		}
	}
	// The search has to find what is there.
	if !bytes.Contains(s.hub.dump(secrets), []byte(keyMark64)) || len(places["Git"]) == 0 ||
		!bytes.Contains(places["events of hub"], []byte("reason")) {
		s.t.Error("the etcd key is not found in its Secret, or there are no commits or events to look at")
	}
}

// rendered are all directories with a kustomization, as the kustomize of Argo CD makes them, and the files as they are.
func (s *story) rendered() []byte {
	s.t.Helper()
	var all bytes.Buffer
	err := filepath.Walk(s.repository, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() && info.Name() == ".git" {
			return skip(err)
		}
		if info.IsDir() {
			return nil
		}
		data, err := os.ReadFile(path)
		all.Write(data)
		if info.Name() == "kustomization.yaml" {
			all.Write(s.kustomize(filepath.Dir(path)))
		}
		return err
	})
	if err != nil || !strings.Contains(all.String(), "installplan-approver") {
		s.t.Errorf("the rendered files: %v, %d bytes", err, all.Len())
	}
	return all.Bytes()
}

func skip(err error) error {
	if err != nil {
		return err
	}
	return filepath.SkipDir
}

// token is what Argo CD logs in with at a hosted cluster.
func (s *story) token(env string) string {
	s.t.Helper()
	u, err := s.hub.get(s.t.Context(), secrets, namespace, "hosted-cluster-"+env+".front-"+env)
	if err != nil {
		s.t.Fatal(err)
	}
	raw, _, _ := unstructured.NestedString(u.Object, "data", "config")
	return credentials(s.t, raw).BearerToken
}
