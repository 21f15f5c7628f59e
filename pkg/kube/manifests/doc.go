// Package manifests reads manifests from files and directories, sorts them in the order of application, applies them by
// server-side apply, and reports which objects are not ready yet.
package manifests
