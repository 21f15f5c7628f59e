package release

import "fmt"

// Registry. The first follows the recorded row; the text between "Get" and "no such host" is Go's own.
func msgNoSuchHost(host string) string {
	return fmt.Sprintf("failed to create repository client for https://%s: Get \"https://%s/v2/\": dial tcp: lookup %s: "+
		"no such host", host, host, host)
}

// Made up after the registry client's message for a missing tag.
const msgManifestUnknown = "manifest unknown: manifest unknown"

// MsgReleaseMetadata is the message of Progressing and Available when the payload cannot be read. Recorded.
func MsgReleaseMetadata(cause error) string {
	return fmt.Sprintf("failed to extract release metadata: failed to get repo setup: %v", cause)
}
