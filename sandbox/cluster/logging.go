package cluster

import (
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"

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
	// The last line says where a library ended the process; its reason is in the log.
	klog.OsExit = func(code int) {
		fmt.Fprintf(os.Stderr, "%s\na library of Kubernetes ended the sandbox with exit code %d: %s says why\n",
			debug.Stack(), code, ownLog)
		os.Exit(code) //nolint:forbidigo // the library would do the same, without a word
	}
}
