package archive_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"filippo.io/age"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/hostedcluster/backup/archive"
)

var manifest = archive.Manifest{
	TypeMeta: archive.Type(), Created: "2026-03-01T10:00:00Z", Namespace: "clusters",
	Name: "kv-00", ControlPlaneNamespace: "clusters-kv-00", InfraID: "kv-00-abcde",
}

func object(kind, version, namespace, name string, more map[string]any) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": version, "kind": kind,
		"metadata": map[string]any{"namespace": namespace, "name": name}}}
	maps.Copy(o.Object, more)
	return o
}

func hostedCluster() *unstructured.Unstructured {
	return object("HostedCluster", "hypershift.openshift.io/v1beta1", "clusters", "kv-00", map[string]any{
		"spec": map[string]any{"infraID": "kv-00-abcde", "pullSecret": map[string]any{"name": "kv-00-pull-secret"}}})
}

// snapshot is what etcd would save: pages and their hash.
func snapshot() []byte {
	pages := bytes.Repeat([]byte("page"), 256)
	sum := sha256.Sum256(pages)
	return append(pages, sum[:]...)
}

func write(t *testing.T, path string, recipients ...age.Recipient) {
	t.Helper()
	w, err := archive.Create(t.Context(), path, manifest, recipients)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []*unstructured.Unstructured{hostedCluster(),
		object("Secret", "v1", "clusters-kv-00", "root-ca", map[string]any{"type": "Opaque",
			"data": map[string]any{"k": "TUFSS0VS"}})} {
		if err := w.Object(o); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Snapshot(int64(len(snapshot())), bytes.NewReader(snapshot())); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != w.SHA256() {
		t.Error("the writer's SHA-256 is not that of the file")
	}
}

func TestAnArchiveIsReadAsItWasWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kv.tar.gz")
	write(t, path)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("left beside it: %v", left)
	}
	var got bytes.Buffer
	c, err := archive.Read(t.Context(), path, nil, &got)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), snapshot()) || c.SnapshotBytes != int64(len(snapshot())) || c.Encrypted {
		t.Errorf("snapshot of %d bytes, %d, encrypted %t", got.Len(), c.SnapshotBytes, c.Encrypted)
	}
	if c.Manifest != manifest || len(c.Objects) != 2 || c.Object("Secret", "clusters-kv-00", "root-ca") == nil {
		t.Errorf("%+v with %d objects", c.Manifest, len(c.Objects))
	}
}

func TestAnArchiveIsNeverOverwritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kv.tar.gz")
	w, err := archive.Create(t.Context(), path, manifest, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil { // while it is written
		t.Fatal(err)
	}
	if err := w.Finish(); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Finish: %v", err)
	}
	if _, err := archive.Create(t.Context(), path, manifest, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Create: %v", err)
	}
	if data, _ := os.ReadFile(path); string(data) != "mine" {
		t.Errorf("the file is now %q", data)
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("left beside it: %v", left)
	}
}

func TestAnEncryptedArchive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kv.tar.gz.age")
	key, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	other, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, key.Recipient())
	if c, err := archive.Read(t.Context(), path, []age.Identity{key}, io.Discard); err != nil || !c.Encrypted {
		t.Errorf("with the key: %v", err)
	}
	for _, keys := range [][]age.Identity{nil, {other}} {
		if _, err := archive.Read(t.Context(), path, keys, io.Discard); err == nil ||
			!strings.Contains(err.Error(), "none of the given keys opens it") {
			t.Errorf("with %d keys: %v", len(keys), err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{len(data) / 2, len(data) - 1} {
		bad := slices.Clone(data)
		bad[at] ^= 1
		refused(t, "a changed byte", bad, []age.Identity{key}, "")
	}
	refused(t, "cut off", data[:len(data)-20], []age.Identity{key}, "")
}

// refused reads an archive that has to be refused.
func refused(t *testing.T, what string, data []byte, keys []age.Identity, want string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bad")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := archive.Read(t.Context(), path, keys, io.Discard)
	var bad *archive.Error
	if !errors.As(err, &bad) || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, want %q", what, err, want)
	}
}

// file is one of a tar.
type file struct {
	name string
	data any
	kind byte
}

// pack makes an archive as somebody else would.
func pack(t *testing.T, files ...file) []byte {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	w := tar.NewWriter(zipped)
	sums := map[string]string{}
	for _, f := range files {
		var data []byte
		switch v := f.data.(type) {
		case []byte:
			data = v
		case *unstructured.Unstructured:
			data = encode(t, v.Object)
		case nil:
			data = encode(t, sums)
		default:
			data = encode(t, v)
		}
		sum := sha256.Sum256(data)
		sums[f.name] = hex.EncodeToString(sum[:])
		if f.kind == 0 {
			f.kind = tar.TypeReg
		}
		h := &tar.Header{Name: f.name, Size: int64(len(data)), Typeflag: f.kind}
		if f.kind != tar.TypeReg {
			h.Size, h.Linkname, data = 0, "/etc/passwd", nil
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestHostileArchives: everything that backup does not write is refused.
func TestHostileArchives(t *testing.T) {
	const hc = "objects/clusters/HostedCluster/kv-00.json"
	head, cluster := file{name: "manifest.json", data: manifest}, file{name: hc, data: hostedCluster()}
	etcd, sums := file{name: "etcd-snapshot.db", data: snapshot()}, file{name: "checksums.json"}
	good := pack(t, head, cluster, etcd, sums)
	path := filepath.Join(t.TempDir(), "good")
	if err := os.WriteFile(path, good, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Read(t.Context(), path, nil, io.Discard); err != nil {
		t.Fatalf("the good one: %v", err)
	}
	secret := func(namespace, name, kind string) file {
		return file{name: "objects/" + namespace + "/Secret/" + name + ".json",
			data: object("Secret", "v1", namespace, name, map[string]any{"type": kind})}
	}
	with := func(f file) []byte { return pack(t, head, cluster, f, etcd, sums) }
	configMap := file{name: "objects/clusters/ConfigMap/a.json", data: object("ConfigMap", "v1", "clusters", "a", nil)}
	changed := func(change func(m *archive.Manifest)) []byte {
		m := manifest
		change(&m)
		return pack(t, file{name: "manifest.json", data: m}, cluster, etcd, sums)
	}
	damaged := snapshot()
	damaged[10] ^= 1
	owned := object("Secret", "v1", "clusters", "a", nil)
	owned.SetFinalizers([]string{"x/y"})
	for what, tc := range map[string]struct {
		data []byte
		want string
	}{
		"nothing":            {nil, "not a backup"},
		"text":               {[]byte("hello"), "not a backup"},
		"cut off":            {good[:len(good)/2], "damaged"},
		"something behind":   {append(slices.Clone(good), 'x'), "after its end"},
		"another gzip":       {append(slices.Clone(good), good...), "after its end"},
		"no manifest":        {pack(t, cluster, etcd, sums), "where no backup has it"},
		"another version":    {changed(func(m *archive.Manifest) { m.APIVersion = "v9" }), "this hcctl reads"},
		"another plane":      {changed(func(m *archive.Manifest) { m.ControlPlaneNamespace = "kube-system" }), "not names"},
		"a path as name":     {changed(func(m *archive.Manifest) { m.Name, m.ControlPlaneNamespace = "../x", "clusters-../x" }), "not names"},
		"no snapshot":        {pack(t, head, cluster, sums), "no snapshot"},
		"no HostedCluster":   {pack(t, head, etcd, sums), "no HostedCluster"},
		"no checksums":       {pack(t, head, cluster, etcd), "no checksums"},
		"twice":              {pack(t, head, cluster, cluster, etcd, sums), "where no backup has it"},
		"behind the sums":    {pack(t, head, cluster, etcd, sums, secret("clusters", "a", "Opaque")), "where no backup has it"},
		"a damaged snapshot": {pack(t, head, cluster, file{name: "etcd-snapshot.db", data: damaged}, sums), "integrity hash"},
		"half a snapshot":    {pack(t, head, cluster, file{name: "etcd-snapshot.db", data: damaged[:700]}, sums), "no integrity hash"},
		"an empty snapshot":  {pack(t, head, cluster, file{name: "etcd-snapshot.db", data: []byte{}}, sums), "empty"},
		"a wrong sum": {pack(t, head, cluster, etcd, file{name: "checksums.json", data: map[string]string{
			"manifest.json": "", hc: "", "etcd-snapshot.db": ""}}), "does not match its checksum"},
		"another file":      {with(file{name: "../../etc/cron.d/x", data: []byte("x")}), "no backup has"},
		"a link":            {with(file{name: "objects/x", kind: tar.TypeSymlink, data: []byte{}}), "where no backup has it"},
		"another kind":      {with(file{name: "objects/clusters/Pod/a.json", data: object("Pod", "v1", "clusters", "a", nil)}), "no backup has"},
		"a role":            {with(file{name: "objects/ClusterRole/a.json", data: object("ClusterRole", "rbac.authorization.k8s.io/v1", "", "a", nil)}), "no backup has"},
		"another namespace": {with(secret("kube-system", "a", "Opaque")), "none of the cluster's"},
		"another key":       {with(secret("clusters-kv-00", "a", "Opaque")), "no backup has"},
		"a token":           {with(secret("clusters", "a", "kubernetes.io/service-account-token")), "no backup has"},
		"finalizers":        {with(file{name: "objects/clusters/Secret/a.json", data: owned}), "metadata.finalizers"},
		"a wrong place":     {with(file{name: "objects/clusters/Secret/b.json", data: object("Secret", "v1", "clusters", "a", nil)}), "not where"},
		"another cluster's pool": {with(file{name: "objects/clusters/NodePool/a.json", data: object("NodePool",
			"hypershift.openshift.io/v1beta1", "clusters", "a", map[string]any{"spec": map[string]any{"clusterName": "other"}})}), "of cluster"},
		"a Secret that it does not name":    {with(secret("clusters", "other-pull-secret", "Opaque")), "does not name"},
		"a ConfigMap that it does not name": {with(configMap), "does not name"},
		"another infraID": {changed(func(m *archive.Manifest) { m.InfraID = "other-fghij" }),
			`has the infraID "kv-00-abcde", and the backup is of "other-fghij"`},
		"another release": {changed(func(m *archive.Manifest) { m.Release = "registry.example/other" }),
			`has the release "", and the backup is of "registry.example/other"`},
		"the platform's namespace": {changed(func(m *archive.Manifest) {
			m.Namespace, m.ControlPlaneNamespace = "kube-system", "kube-system-kv-00"
		}), "kube-system belongs to the platform"},
		"the platform's control plane": {changed(func(m *archive.Manifest) {
			m.Namespace, m.Name, m.ControlPlaneNamespace = "multicluster", "engine", "multicluster-engine"
		}), "multicluster-engine belongs to the platform"},
		"many large objects": {pack(t, append([]file{head, cluster}, large(7)...)...), "its objects have more than 16 MiB"},
		"a second cluster": {with(file{name: "objects/clusters/HostedCluster/b.json", data: object("HostedCluster",
			"hypershift.openshift.io/v1beta1", "clusters", "b", nil)}), "beside"},
		"too large": {with(file{name: "objects/clusters/Secret/a.json", data: bytes.Repeat([]byte{' '}, 4<<20)}), "more than any backup"},
	} {
		refused(t, what, tc.data, nil, tc.want)
	}
}

// large are n Secrets, each as large as one may be.
func large(n int) []file {
	var all []file
	for i := range n {
		name := fmt.Sprintf("s%d", i)
		all = append(all, file{name: "objects/clusters/Secret/" + name + ".json", data: object("Secret", "v1", "clusters", name,
			map[string]any{"stringData": map[string]any{"a": strings.Repeat("x", 3<<20-500)}})})
	}
	return all
}

// Who gives a key means an encrypted file: one that is not may have taken its place.
func TestAKeyNeedsAnEncryptedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kv.tar.gz")
	write(t, path)
	key, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Read(t.Context(), path, []age.Identity{key}, io.Discard); err == nil ||
		!strings.Contains(err.Error(), "is not encrypted") {
		t.Errorf("got %v", err)
	}
}

// TestFacts shows what a reviewer has to see: images, mirrors and annotations, wherever they are.
func TestFacts(t *testing.T) {
	hc := hostedCluster()
	hc.SetAnnotations(map[string]string{"hypershift.openshift.io/control-plane-operator-image": "evil/cpo",
		"hcctl.dev/spread": "host"})
	hc.Object["spec"].(map[string]any)["release"] = map[string]any{"image": "evil/release"}
	hc.Object["spec"].(map[string]any)["imageContentSources"] = []any{map[string]any{"source": "quay.io/a",
		"mirrors": []any{"evil/mirror"}}}
	pool := object("NodePool", "hypershift.openshift.io/v1beta1", "clusters", "kv-00", map[string]any{"spec": map[string]any{
		"platform": map[string]any{"kubevirt": map[string]any{"rootVolume": map[string]any{"image": map[string]any{
			"containerDiskImage": "evil/disk"}}}}}})
	var got []string
	for _, f := range (&archive.Content{Manifest: manifest, Objects: []*unstructured.Unstructured{hc, pool}}).Facts() {
		got = append(got, f.String())
	}
	want := []string{"HostedCluster kv-00: spec.imageContentSources[0].mirrors is [evil/mirror]",
		"HostedCluster kv-00: spec.imageContentSources[0].source is quay.io/a",
		"HostedCluster kv-00: spec.release.image is evil/release",
		"HostedCluster kv-00: hypershift.openshift.io/control-plane-operator-image is evil/cpo",
		"NodePool kv-00: spec.platform.kubevirt.rootVolume.image.containerDiskImage is evil/disk"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestASnapshotThatBreaksOff(t *testing.T) {
	for what, size := range map[string]int64{"shorter": int64(len(snapshot())) + 512, "nothing": 0, "endless": 1 << 62} {
		path := filepath.Join(t.TempDir(), "kv.tar.gz")
		w, err := archive.Create(t.Context(), path, manifest, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Snapshot(size, bytes.NewReader(snapshot())); err == nil {
			t.Errorf("%s: no error", what)
		}
		if err := w.Abort(); err != nil {
			t.Error(err)
		}
		if left, _ := os.ReadDir(filepath.Dir(path)); len(left) > 0 {
			t.Errorf("%s: left %v", what, left)
		}
	}
}

// TestOlderArchivesAreRead: a backup that an older hcctl has written can be restored. testdata/older has one of each
// form that there ever was; none of them is ever written anew.
func TestOlderArchivesAreRead(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "older", "*.tar.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		var etcd bytes.Buffer
		c, err := archive.Read(t.Context(), file, nil, &etcd)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if c.Manifest.Name != "kv-00" || c.Manifest.InfraID != "kv-00-abcde" || len(c.Objects) != 2 ||
			!bytes.Equal(etcd.Bytes(), snapshot()) {
			t.Errorf("%s: %+v, %d objects, a snapshot of %d bytes", file, c.Manifest, len(c.Objects), etcd.Len())
		}
	}
}
