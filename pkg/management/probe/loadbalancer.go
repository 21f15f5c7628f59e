package probe

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

const (
	// balancedPort is the port of hosted API servers at their load balancers. listenPort is that of the probe's pod.
	balancedPort, listenPort = 6443, 8080
	// answerPath is the path at which the pod answers with its name.
	answerPath = "/probe/answer"
	// answerTime is the timeout of one request, and answerPause the time between two. MetalLB announces an address only
	// after it has assigned it, and then the network has to learn it.
	answerTime, answerPause = 3 * time.Second, 500 * time.Millisecond
	// maxAnswer is the maximum length of an answer in bytes.
	maxAnswer = 256
)

func loadBalancer() Probe {
	return Probe{
		ID: "probe/load-balancer", Title: "load balancer", Name: LoadBalancer,
		Rests: []step.ID{"load-balancer/pool", "load-balancer/metallb", "load-balancer/free-addresses"},
		Rights: []access.Rule{
			{Verbs: "create list watch", Resources: "services", Why: "a Service of type LoadBalancer, and its address"},
			{Verbs: "list", Resources: "events", Why: "why a Service has no address"},
		},
		Run: func(ctx context.Context, s *session) step.Finding { return s.tryBalancer(ctx) },
	}
}

// tryBalancer requests an address, and expects an answer from it here and in a pod.
func (s *session) tryBalancer(ctx context.Context) step.Finding {
	if s.options.OwnAddresses {
		return step.Finding{State: step.StateSkipped,
			Message: "not tried: the hosted cluster takes no address of the pools that serve every namespace"}
	}
	image, f := s.image(ctx)
	if f != nil {
		return *f
	}
	server := s.server(image)
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "balanced"},
		Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, Selector: server.Labels,
			Ports: []corev1.ServicePort{{Port: balancedPort, TargetPort: intstr.FromInt32(listenPort)}}},
	}
	object := "Service " + kube.Name(service)
	for _, o := range []client.Object{service, server} {
		if err := s.create(ctx, o); err != nil {
			return failure(err).On("%s", object)
		}
	}
	address := ""
	found := s.await(ctx, func(ctx context.Context, r kube.Reader) step.Finding {
		now := &corev1.Service{}
		if err := r.Get(ctx, client.ObjectKeyFromObject(service), now); err != nil {
			return kube.Unknown(err)
		}
		address = addressOf(now)
		if address == "" {
			return step.Pending("no address was assigned")
		}
		return step.OK("")
	})
	if found.State != step.StateOK {
		return s.unassigned(ctx, found).On("%s", object)
	}
	if found := s.serving(ctx, server); found.State != step.StateOK {
		return found
	}
	inside, found := s.requestFromPod(ctx, image, address, server.Name)
	if !inside {
		return found.On("%s", object)
	}
	if err := answers(ctx, address, server.Name); err != nil {
		return unanswered(address, err, s.announcer(ctx, service)).On("%s", object)
	}
	return step.OK("%s answers from where hcctl runs and from inside the cluster", address).On("%s", object)
}

// unanswered returns the finding if only pods get an answer. They need no ARP for it, so the speaker that announces the
// address may be the cause. node is the speaker's node, or "".
func unanswered(address string, err error, node string) step.Finding {
	f := step.Broken("%s answers inside the cluster, but not from where hcctl runs: %s", address, short(err.Error()))
	route := fmt.Sprintf("is there a way from this machine to %s, and a firewall between? Users of hosted clusters need "+
		"one, too", address)
	if node == "" {
		return f.WithHint("%s; the address may not be announced: %s (Speakers)", route, hint.Run("docs", "troubleshooting"))
	}
	f.Message += "; MetalLB's speaker on node " + node + " announces it"
	return f.WithHint("%s; a speaker that does not answer ARP is made new by: oc delete pods -n metallb-system -l "+
		"component=speaker --field-selector spec.nodeName=%s; %s (Speakers)", route, node,
		hint.Run("docs", "troubleshooting"))
}

// nodeAssigned is the reason of the Event with which a speaker reports that it announces a Service. announcing matches
// its message (MetalLB, speaker/main.go).
const nodeAssigned = "nodeAssigned"

var announcing = lazyregexp.New(
	`^announcing from node "([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?)" with protocol "layer2"$`)

// announcer returns the node whose speaker announces a Service in L2 mode, or "".
func (s *session) announcer(ctx context.Context, service *corev1.Service) string {
	list := &corev1.EventList{}
	if err := s.client.List(ctx, list, client.InNamespace(s.namespace),
		client.MatchingFields{"involvedObject.name": service.Name}); err != nil {
		return ""
	}
	return announcerOf(list.Items, service)
}

func announcerOf(events []corev1.Event, service *corev1.Service) (node string) {
	last := time.Time{}
	for i := range events {
		e := &events[i]
		m := announcing.FindStringSubmatch(e.Message)
		if e.Reason == nodeAssigned && e.InvolvedObject.Kind == "Service" && e.InvolvedObject.Name == service.Name &&
			m != nil && !e.LastTimestamp.Time.Before(last) {
			node, last = m[1], e.LastTimestamp.Time
		}
	}
	return node
}

// server returns a pod that answers with its name. It runs until it is deleted.
func (s *session) server(image string) *corev1.Pod {
	name := "server-" + random()
	pod := s.pod(name, image, fmt.Sprintf(`set -e
mkdir -p /tmp/www && printf '%%s\n' %[1]s > /tmp/www/answer
if command -v oc >/dev/null; then
  exec oc proxy --server=http://127.0.0.1:1 --address=0.0.0.0 --port=%[2]d --accept-hosts='.*' \
    --www=/tmp/www --www-prefix=/probe/ --api-prefix=/none/
fi
mkdir -p /tmp/root/probe && cp /tmp/www/answer /tmp/root/probe/answer && cd /tmp/root
exec python3 -m http.server %[2]d`, name, listenPort))
	// No deadline: the deletion of the namespace ends the pod.
	pod.Spec.ActiveDeadlineSeconds = nil
	mount(pod, "tmp", "/tmp", corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}})
	c := &pod.Spec.Containers[0]
	c.Ports = []corev1.ContainerPort{{ContainerPort: listenPort}}
	c.ReadinessProbe = &corev1.Probe{PeriodSeconds: 1, ProbeHandler: corev1.ProbeHandler{
		TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(listenPort)}}}
	return pod
}

// serving waits until the server is ready.
func (s *session) serving(ctx context.Context, server *corev1.Pod) step.Finding {
	return s.await(ctx, func(ctx context.Context, r kube.Reader) step.Finding {
		now := &corev1.Pod{}
		if err := r.Get(ctx, client.ObjectKeyFromObject(server), now); err != nil {
			return kube.Unknown(err)
		}
		if health.PodReady(now) {
			return step.OK("")
		}
		if now.Status.Phase == corev1.PodFailed || now.Status.Phase == corev1.PodSucceeded {
			return step.Broken("it does not serve: %s", reasonOf(now))
		}
		return waitsFor(now)
	}).On("Pod %s", kube.Name(server))
}

// requestFromPod sends a request to the address from a pod.
func (s *session) requestFromPod(ctx context.Context, image, address, want string) (bool, step.Finding) {
	pod := s.pod("client", image, fmt.Sprintf(`for i in $(seq 20); do
  answer=$(timeout 3 bash -c 'exec 3<>/dev/tcp/%[1]s/%[2]d && printf "GET %[3]s HTTP/1.0\r\nHost: probe\r\n\r\n" >&3 &&
    cat <&3' | tail -n 1 | tr -d '\r')
  [ "$answer" = %[4]s ] && exit 0
  sleep 1
done
echo "no answer from %[1]s, port %[2]d"
exit 1`, address, balancedPort, answerPath, want))
	_, f := s.runPod(ctx, pod)
	return f.State == step.StateOK, f
}

// addressOf returns the address of a Service's load balancer, or "". It accepts only an IP address or a DNS name,
// because the address becomes a part of a script.
func addressOf(service *corev1.Service) string {
	for _, i := range service.Status.LoadBalancer.Ingress {
		if _, err := netip.ParseAddr(i.IP); err == nil {
			return i.IP
		}
		if hostName.MatchString(i.Hostname) {
			return i.Hostname
		}
	}
	return ""
}

// answers sends requests to the address from this machine until it returns the server's name or the time is over.
func answers(ctx context.Context, address, want string) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	url := "http://" + net.JoinHostPort(address, strconv.Itoa(balancedPort)) + answerPath
	// No proxy: its answer would prove nothing about the address.
	httpClient := &http.Client{Timeout: answerTime, Transport: &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for {
		err := answer(ctx, httpClient, url, want)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(answerPause):
		}
	}
}

func answer(ctx context.Context, httpClient *http.Client, url, want string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := httpClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return err
	}
	if got := strings.TrimSpace(string(body)); got != want {
		return fmt.Errorf("something else answers there: %q", short(got))
	}
	return nil
}

// unassigned adds the reason why a Service has no address.
func (s *session) unassigned(ctx context.Context, f step.Finding) step.Finding {
	if f.State != step.StateBroken {
		return f
	}
	balanced := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "balanced"}}
	if why := s.lastEvent(ctx, balanced); why != "" {
		f.Message += ": " + why
	}
	return f.WithHint("%s", hint.Run("check").Flag("only", "load-balancer"))
}
