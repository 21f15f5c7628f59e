package backup

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/backup/podexec"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
)

// Names of etcd's container and label in a control plane.
const (
	etcdContainer = "etcd"
	etcdLabel     = "app"
)

// snapshotScript saves a snapshot outside of etcd's volume, which it could fill, and writes its size and content to
// stdout. It unlinks the file before it sends it, so that nothing stays in the pod if the connection breaks. The
// options of etcdctl are those of the vendor's procedure.
const snapshotScript = `f=/tmp/hcctl-snapshot-$1.db
ETCDCTL_API=3 etcdctl --cacert /etc/etcd/tls/etcd-ca/ca.crt --cert /etc/etcd/tls/client/etcd-client.crt \
  --key /etc/etcd/tls/client/etcd-client.key --endpoints=https://localhost:2379 snapshot save "$f" >&2 || {
  rm -f "$f" "$f.part"
  exit 1
}
{
  wc -c <"$f"
  rm -f "$f"
  cat
} <"$f"
`

// etcdPod returns the name of a ready etcd pod.
func etcdPod(ctx context.Context, c *kube.Client, namespace string) (string, error) {
	var pods corev1.PodList
	labels := client.MatchingLabels{etcdLabel: etcdContainer}
	if err := c.List(ctx, &pods, client.InNamespace(namespace), labels); err != nil {
		return "", fmt.Errorf("list the pods of etcd in namespace %s: %w", namespace, err)
	}
	for i := range pods.Items {
		if pod := &pods.Items[i]; health.PodReady(pod) && pod.DeletionTimestamp == nil {
			return pod.Name, nil
		}
	}
	return "", fmt.Errorf("no pod of etcd is ready in namespace %s (%d there): a snapshot needs one", namespace,
		len(pods.Items))
}

// takeSnapshot makes etcd save a snapshot and passes its size and content to use.
func takeSnapshot(ctx context.Context, c *kube.Client, namespace, pod, id string,
	use func(size int64, from io.Reader) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out, in := io.Pipe()
	used := make(chan error, 1)
	go func() {
		err := readSnapshot(out, use)
		_ = out.CloseWithError(errors.Join(err, io.ErrClosedPipe)) // ends the command's output
		if err != nil {
			cancel()
		}
		used <- err
	}()
	err := podexec.Run(ctx, c.Config(), podexec.Command{
		Namespace: namespace, Pod: pod, Container: etcdContainer,
		Args: []string{"/bin/sh", "-c", snapshotScript, "sh", id}, Stdout: in,
	})
	_ = in.CloseWithError(io.ErrUnexpectedEOF)
	read := <-used
	var failed *podexec.Error
	switch {
	case errors.As(err, &failed):
		return err // it has the reason
	case read != nil && !errors.Is(read, io.ErrUnexpectedEOF):
		return read
	case err != nil:
		return err
	}
	return read
}

// readSnapshot parses the output of snapshotScript.
func readSnapshot(out io.Reader, use func(size int64, from io.Reader) error) error {
	const maxDigits = 32
	in := bufio.NewReaderSize(out, 1<<16)
	line, err := in.ReadSlice('\n')
	if err != nil {
		return fmt.Errorf("the snapshot of etcd: %w", err)
	}
	size, err := strconv.ParseInt(strings.TrimSpace(string(line[:min(len(line), maxDigits)])), 10, 64)
	if err != nil {
		return errors.New("the snapshot of etcd does not begin with its size")
	}
	if err := use(size, in); err != nil {
		return err
	}
	if n, _ := io.Copy(io.Discard, io.LimitReader(in, 1)); n > 0 {
		return errors.New("the snapshot of etcd is larger than it says")
	}
	return nil
}
