package release

import "fmt"

// Registry. The first follows the recorded row; the words between "Get" and "no such host" are Go's own.
func msgNoSuchHost(host string) string {
	return fmt.Sprintf("failed to create repository client for https://%s: Get \"https://%s/v2/\": dial tcp: lookup %s: "+
		"no such host", host, host, host)
}

// Guess: how the registry client words a tag that is not there.
const msgManifestUnknown = "manifest unknown: manifest unknown"

// MsgReleaseMetadata is what Progressing and Available say when the payload cannot be read. Recorded.
func MsgReleaseMetadata(cause error) string {
	return fmt.Sprintf("failed to extract release metadata: failed to get repo setup: %v", cause)
}
