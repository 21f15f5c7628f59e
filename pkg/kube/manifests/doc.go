// Package manifests reads manifests from files and directories, puts them in the order of application, applies them by
// server-side apply, and says what they still wait for.
package manifests
