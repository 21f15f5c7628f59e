// Command getnodes lists the nodes of the cluster of KUBECONFIG, for machines without kubectl.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

const timeout = 10 * time.Second

func main() {
	if err := run(os.Getenv("KUBECONFIG"), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "getnodes:", err)
		os.Exit(1)
	}
}

func run(kubeconfig string, w io.Writer) error {
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return fmt.Errorf("KUBECONFIG: %w", err)
	}
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(w, 0, 8, 3, ' ', 0)
	_, _ = fmt.Fprintln(t, "NAME\tSTATUS\tVERSION")
	for i := range nodes.Items {
		n := &nodes.Items[i]
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\n", n.Name, status(n), n.Status.NodeInfo.KubeletVersion)
	}
	return t.Flush()
}

func status(n *corev1.Node) string {
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue {
			return "Ready"
		}
	}
	return "NotReady"
}
