package guest_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	gorilla "github.com/gorilla/websocket"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/hostedcluster/guest"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/kube/subresource"
	"github.com/hcctl/hcctl/pkg/kube/transport"
)

// world is a management cluster whose pods forward their port to a server of the test.
type world struct {
	api  *kubetest.API
	mu   sync.Mutex
	ends map[string]string // the address behind the port of a pod
	says string            // what the error channel says
	seen []string          // pods that were connected to
}

func newWorld(t *testing.T, way transport.Way) (*world, *kube.Client) {
	t.Helper()
	w := &world{api: kubetest.Serve(t), ends: map[string]string{}}
	server := httptest.NewServer(http.HandlerFunc(w.answer))
	t.Cleanup(server.Close)
	c, err := kube.New(&rest.Config{Host: server.URL, ContentConfig: rest.ContentConfig{ContentType: "application/json"}},
		transport.Guests(way))
	if err != nil {
		t.Fatal(err)
	}
	return w, c
}

// pod adds a pod of the API server, behind whose port is the address.
func (w *world) pod(t *testing.T, name, ready, address string) {
	t.Helper()
	w.api.Put(t, fmt.Sprintf(`{apiVersion: v1, kind: Pod, metadata: {name: %q, namespace: clusters-kv-00,
		labels: {app: kube-apiserver}}, spec: {containers: [{name: kube-apiserver, ports: [{name: client, containerPort: 6443}]}]},
		status: {conditions: [{type: Ready, status: %q}]}}`, name, ready))
	w.ends[name] = address
}

func (w *world) answer(rw http.ResponseWriter, r *http.Request) {
	name, forward := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/api/v1/namespaces/clusters-kv-00/pods/"),
		"/portforward")
	w.mu.Lock()
	end, known := w.ends[name]
	if forward {
		w.seen = append(w.seen, name)
	}
	w.mu.Unlock()
	switch {
	case !forward:
		w.api.ServeHTTP(rw, r)
	case end == "":
		rw.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(rw, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,`+
			`"message":"pods \"`+name+`\" is forbidden: User \"ann\" cannot get resource \"pods/portforward\""}`)
	case known && r.URL.Query().Get("ports") == "6443":
		w.forward(rw, r, end)
	}
}

// forward is what a kubelet does with a WebSocket (k8s.io/cri-streaming, portforward/websocket.go).
func (w *world) forward(rw http.ResponseWriter, r *http.Request, end string) {
	socket, err := (&gorilla.Upgrader{Subprotocols: []string{subresource.PodProtocol}}).Upgrade(rw, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = socket.Close() }()
	_ = socket.WriteMessage(gorilla.BinaryMessage, []byte{0, 0x2b, 0x19})
	_ = socket.WriteMessage(gorilla.BinaryMessage, []byte{1, 0x2b, 0x19})
	target, err := net.Dial("tcp", end)
	if err != nil {
		_ = socket.WriteMessage(gorilla.BinaryMessage, append([]byte{1}, w.says...))
		_, _, _ = socket.NextReader()
		return
	}
	defer func() { _ = target.Close() }()
	go func() {
		for {
			_, message, err := socket.ReadMessage()
			if err != nil || len(message) == 0 || message[0] != 0 {
				_ = target.Close()
				return
			}
			_, _ = target.Write(message[1:])
		}
	}()
	buffer := make([]byte, 1000) // less than a record of TLS
	for {
		n, err := target.Read(buffer)
		if n > 0 && socket.WriteMessage(gorilla.BinaryMessage, append([]byte{0}, buffer[:n]...)) != nil || err != nil {
			return
		}
	}
}

// hosted is the API server of a hosted cluster.
type hosted struct {
	*httptest.Server
	mu     sync.Mutex
	tokens []string
}

func newHosted(t *testing.T, pair *tls.Certificate) *hosted {
	t.Helper()
	h := &hosted{}
	h.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		h.tokens = append(h.tokens, r.Method+" "+r.Header.Get("Authorization"))
		h.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		if body, _ := io.ReadAll(r.Body); len(body) > 0 {
			_, _ = w.Write(body)
			return
		}
		_, _ = io.WriteString(w, `{"gitVersion": "v1.33.0", "major": "1", "minor": "33"}`)
	}))
	if pair != nil {
		h.TLS = &tls.Config{Certificates: []tls.Certificate{*pair}, MinVersion: tls.VersionTLS12,
			ClientAuth: tls.RequestClientCert}
	}
	h.StartTLS()
	t.Cleanup(h.Close)
	return h
}

func (h *hosted) address() string { return h.Listener.Addr().String() }

// nowhere is an address at which nothing listens.
func nowhere(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// connect is a client of hosted cluster clusters/kv-00, whose kubeconfig names the address and the CA of a server.
func connect(t *testing.T, w *world, management *kube.Client, address string, ca *hosted) *kube.Client {
	t.Helper()
	data := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ca.Certificate().Raw})
	kubeconfig := fmt.Sprintf(`{apiVersion: v1, kind: Config, current-context: admin, preferences: {},
		clusters: [{name: cluster, cluster: {server: "https://%s", certificate-authority-data: %s}}],
		users: [{name: admin, user: {token: top-secret}}],
		contexts: [{name: admin, context: {cluster: cluster, user: admin}}]}`, address,
		base64.StdEncoding.EncodeToString(data))
	w.api.Put(t, "{apiVersion: v1, kind: Secret, metadata: {name: kv-00-admin-kubeconfig, namespace: clusters}, data: {kubeconfig: "+
		base64.StdEncoding.EncodeToString([]byte(kubeconfig))+"}}")
	hc := &hyperv1.HostedCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters", Name: "kv-00"},
		Status: hyperv1.HostedClusterStatus{KubeConfig: &corev1.LocalObjectReference{Name: "kv-00-admin-kubeconfig"}}}
	c, err := guest.Connect(t.Context(), management, hc)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var kv00 = client.ObjectKey{Namespace: "clusters", Name: "kv-00"}

func TestTunnelWhereTheAddressDoesNotAnswer(t *testing.T) {
	w, management := newWorld(t, transport.Auto)
	genuine := newHosted(t, nil)
	w.pod(t, "kas-a", "False", genuine.address())
	w.pod(t, "kas-b", "True", genuine.address())
	address := nowhere(t)
	c := connect(t, w, management, address, genuine)
	for range 2 {
		if _, err := c.ServerVersion(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	sent := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a"},
		Data: map[string]string{"long": strings.Repeat("x", 200_000)}}
	if err := c.Create(t.Context(), sent); err != nil || len(sent.Data["long"]) != 200_000 {
		t.Errorf("a large write: %v", err)
	}
	if got := strings.Join(genuine.tokens, ","); got != "GET Bearer top-secret,GET Bearer top-secret,POST Bearer top-secret" {
		t.Errorf("it was asked %s", got)
	}
	if got := strings.Join(w.seen, ","); got != "kas-b" {
		t.Errorf("connected to %s", got)
	}
	const begin = "the API server answers, through the management cluster: from here the API server at https://"
	if got := guest.Answers(management, kv00); got != begin+address+" does not answer: connection refused" {
		t.Errorf("told: %s", got)
	}
}

// TestTunnelIsLeftOut: an answer is an answer, and a certificate that is not trusted is told.
func TestTunnelIsLeftOut(t *testing.T) {
	genuine, other := newHosted(t, nil), newHosted(t, pairOf(t))
	for name, tc := range map[string]struct {
		way     transport.Way
		address string
		want    string
		through string
	}{
		"it answers":       {transport.Auto, genuine.address(), "", ""},
		"untrusted":        {transport.Auto, other.address(), "not trusted", ""},
		"never":            {transport.Never, nowhere(t), "does not answer", ""},
		"always":           {transport.Always, other.address(), "", "kas-a"},
		"a name not known": {transport.Auto, "api.kv-00.invalid:6443", "certificate", "kas-a"},
	} {
		t.Run(name, func(t *testing.T) {
			w, management := newWorld(t, tc.way)
			w.pod(t, "kas-a", "True", genuine.address())
			_, err := connect(t, w, management, tc.address, genuine).ServerVersion(t.Context())
			if got := kube.Explain(err); tc.want == "" && err != nil || !strings.Contains(got, tc.want) {
				t.Errorf("got %v", got)
			}
			if got := strings.Join(w.seen, ","); got != tc.through {
				t.Errorf("connected to %q", got)
			}
		})
	}
}

func pairOf(t *testing.T) *tls.Certificate {
	t.Helper()
	pair := kubetest.NewPair("127.0.0.1")
	certificate, err := tls.X509KeyPair(pair.Certificate, pair.Key)
	if err != nil {
		t.Fatal(err)
	}
	return &certificate
}

// TestHostilePodGetsNoCredentials: who may create pods in the control plane's namespace answers at the tunnel's end.
func TestHostilePodGetsNoCredentials(t *testing.T) {
	for _, way := range []transport.Way{transport.Auto, transport.Always} {
		w, management := newWorld(t, way)
		genuine, hostile := newHosted(t, nil), newHosted(t, pairOf(t))
		w.pod(t, "kas-evil", "True", hostile.address())
		w.pod(t, "../../../secrets", "True", hostile.address())
		_, err := connect(t, w, management, nowhere(t), genuine).ServerVersion(t.Context())
		if err == nil || !strings.Contains(kube.Explain(err), "certificate is not trusted") {
			t.Errorf("%s: got %v", way, err)
		}
		if len(hostile.tokens) > 0 || len(w.seen) == 0 || strings.Contains(strings.Join(w.seen, ","), "..") {
			t.Errorf("%s: the pod got %v, of %v", way, hostile.tokens, w.seen)
		}
	}
}

// TestServePassesBytesOn: it adds nothing, and ends with its context.
func TestServePassesBytesOn(t *testing.T) {
	w, management := newWorld(t, transport.Auto)
	genuine := newHosted(t, nil)
	w.pod(t, "kas-a", "True", genuine.address())
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		guest.NewTunnel(management, kv00).Serve(ctx, listener, func(err error) { t.Error(err) })
		close(ended)
	}()
	conn, err := tls.Dial("tcp", listener.Addr().String(), &tls.Config{RootCAs: genuine.Client().Transport.(*http.Transport).
		TLSClientConfig.RootCAs, ServerName: "example.com"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, "GET /version HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("got %v, %v", answer, err)
	}
	_ = answer.Body.Close()
	if got := strings.Join(genuine.tokens, ","); got != "GET " {
		t.Errorf("the server got %q", got)
	}
	cancel()
	<-ended
	if _, err := conn.Read(make([]byte, 1)); err == nil {
		t.Error("the connection goes on")
	}
	if conn, err := net.Dial("tcp", listener.Addr().String()); err == nil {
		_ = conn.Close()
		t.Error("it still listens")
	}
}

func TestTunnelSaysWhyNot(t *testing.T) {
	w, management := newWorld(t, transport.Auto)
	genuine := newHosted(t, nil)
	c := connect(t, w, management, nowhere(t), genuine)
	tell := func(want string) {
		t.Helper()
		_, err := c.ServerVersion(t.Context())
		if got := kube.Explain(err); len(got) > 5000 || kube.KindOf(err) != kube.ConnectionRefused || !strings.Contains(got, "does not answer: ") ||
			!strings.Contains(got, "; nor is it reached through the management cluster: "+want) {
			t.Errorf("%v: %s", kube.KindOf(err), got)
		}
	}
	tell("no pod of kube-apiserver in namespace clusters-kv-00 is ready")
	w.pod(t, "kas-a", "True", nowhere(t))
	w.says = "error forwarding port 6443 to pod kas-a: connection refused\x1b[2J" + strings.Repeat("x", 1<<20)
	tell("the pod does not take the connection: error forwarding port 6443 to pod kas-a: connection refused")
	w.pod(t, "kas-a", "True", "")
	w.seen = nil
	for range 2 {
		tell(`not allowed: `)
	}
	if len(w.seen) != 1 {
		t.Errorf("asked %d times for what is not allowed", len(w.seen))
	}
}
