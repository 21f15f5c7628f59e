package cli

import (
	"fmt"
	"io/fs"
	"os"
)

// mostOfKubeconfig bounds a kubeconfig of the user's, in bytes: client-go reads files to their end.
const mostOfKubeconfig = 32 << 20

const anotherKubeconfig = "give another: --kubeconfig FILE, or KUBECONFIG"

// checkKubeconfigs fails for a file of KUBECONFIG or --kubeconfig that has no end, or is far too large.
func (a *app) checkKubeconfigs() error {
	for _, path := range a.kubeFlags.ToRawKubeConfigLoader().ConfigAccess().GetLoadingPrecedence() {
		info, err := os.Stat(path)
		switch {
		case err != nil: // client-go says what is wrong with it
		case info.Mode()&fs.ModeDevice != 0 && path != os.DevNull:
			return &hinted{fmt.Errorf("kubeconfig %s is a device, not a file", path), anotherKubeconfig}
		case info.Size() > mostOfKubeconfig:
			err := fmt.Errorf("kubeconfig %s has more than %d MiB", path, mostOfKubeconfig>>20)
			return &hinted{err, anotherKubeconfig}
		}
	}
	return nil
}
