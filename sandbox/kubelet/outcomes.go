package kubelet

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// OutcomesKey is the ConfigMap that says how containers end. No container runs, so each that ends by itself ends with
// exit code 0 and no message, unless an entry of this ConfigMap matches its command.
var OutcomesKey = client.ObjectKey{Namespace: "default", Name: "sandbox-outcomes"}

// outcome is how a container ends, the JSON of one entry.
type outcome struct {
	// Command is a part of the command line of the containers that end so.
	Command string `json:"command"`
	// ExitCode is the exit code, 0 by default.
	ExitCode int32 `json:"exitCode,omitempty"`
	// Message is what the container writes to its termination log.
	Message string `json:"message,omitempty"`
}

// outcomes reads the entries, in the order of their names.
func (k *kubelet) outcomes(ctx context.Context) ([]outcome, error) {
	list := &corev1.ConfigMap{}
	if err := k.live.Get(ctx, OutcomesKey, list); err != nil {
		return nil, ignoreAbsent(err)
	}
	names := make([]string, 0, len(list.Data))
	for name := range list.Data {
		names = append(names, name)
	}
	slices.Sort(names)
	var out []outcome
	for _, name := range names {
		var o outcome
		if err := json.Unmarshal([]byte(list.Data[name]), &o); err != nil {
			return nil, fmt.Errorf("ConfigMap %s, entry %s: %w", OutcomesKey, name, err)
		}
		out = append(out, o)
	}
	return out, nil
}

func ignoreAbsent(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return fmt.Errorf("read ConfigMap %s: %w", OutcomesKey, err)
}

// end sets the status of a pod whose containers have ended as the entries say.
func end(pod *corev1.Pod, entries []outcome) {
	Succeed(pod)
	for i := range pod.Spec.Containers {
		c := &pod.Spec.Containers[i]
		line := strings.Join(append(slices.Clone(c.Command), c.Args...), " ")
		at := slices.IndexFunc(entries, func(o outcome) bool {
			return o.Command != "" && strings.Contains(line, o.Command)
		})
		if at < 0 {
			continue
		}
		state := pod.Status.ContainerStatuses[i].State.Terminated
		state.ExitCode, state.Message = entries[at].ExitCode, entries[at].Message
		if state.ExitCode != 0 {
			state.Reason, pod.Status.Phase = "Error", corev1.PodFailed
		}
	}
}

// runsToCompletion reports whether the pod's containers end by themselves: those of Jobs, and those of pods without a
// controller and with a deadline. Other pods with restartPolicy Never, such as the launcher of a virtual machine, run
// until they are deleted, and so do those whose command is a loop without an end.
func runsToCompletion(pod *corev1.Pod) bool {
	owner := metav1.GetControllerOf(pod)
	if owner != nil {
		return owner.Kind == "Job"
	}
	return pod.Spec.RestartPolicy == corev1.RestartPolicyNever && pod.Spec.ActiveDeadlineSeconds != nil && !endless(pod)
}

// endless reports whether a container's command is a shell's loop without an end.
func endless(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Spec.Containers, func(c corev1.Container) bool {
		return slices.ContainsFunc(c.Command, func(word string) bool { return strings.HasPrefix(word, "while true; do ") })
	})
}
