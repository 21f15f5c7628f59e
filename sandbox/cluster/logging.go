package cluster

import (
	"log/slog"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
)

// redirectLogs sends the logs of Kubernetes' libraries in this process to the sandbox's log. stdout and stderr are for
// the user.
func redirectLogs(log *slog.Logger) {
	klog.SetSlogLogger(log)
	ctrl.SetLogger(logr.FromSlogHandler(log.Handler()))
	slog.SetDefault(log)
}
