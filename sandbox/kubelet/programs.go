package kubelet

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/sandbox/program"
)

// ended is how a program ended.
type ended struct {
	code   int32
	output string
}

// programs are the containers that run for real, by their pod.
type programs struct {
	runner program.Runner
	mu     sync.Mutex
	runs   map[types.UID]*running
}

type running struct {
	cancel context.CancelFunc
	result *ended
}

// has reports whether the pod's container is the program that the sandbox has.
func (p *programs) has(pod *corev1.Pod) bool {
	return len(pod.Spec.Containers) == 1 && p.runner.Runs(&pod.Spec.Containers[0])
}

// ended starts the program of a pod if it has not started, and returns how it ended, nil while it runs.
func (k *kubelet) ended(ctx context.Context, pod *corev1.Pod) *ended {
	p := &k.programs
	p.mu.Lock()
	defer p.mu.Unlock()
	if run := p.runs[pod.UID]; run != nil {
		return run.result
	}
	ctx, cancel := context.WithCancel(ctx)
	run := &running{cancel: cancel}
	p.runs[pod.UID] = run
	pod = pod.DeepCopy()
	go func() {
		defer cancel()
		code, output := p.runner.Run(ctx, k.admin, pod.Namespace, &pod.Spec)
		p.mu.Lock()
		defer p.mu.Unlock()
		run.result = &ended{code, output}
	}()
	return nil
}

// forget ends the program of a pod that is gone.
func (p *programs) forget(uid types.UID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if run := p.runs[uid]; run != nil {
		run.cancel()
		delete(p.runs, uid)
	}
}

// endAs sets the status of a pod whose one container has ended so.
func endAs(pod *corev1.Pod, e *ended) {
	Succeed(pod)
	if e.code == 0 {
		return
	}
	state := pod.Status.ContainerStatuses[0].State.Terminated
	state.ExitCode, state.Reason, pod.Status.Phase = e.code, "Error", corev1.PodFailed
	if pod.Spec.Containers[0].TerminationMessagePolicy == corev1.TerminationMessageFallbackToLogsOnError {
		state.Message = e.output
	}
}
