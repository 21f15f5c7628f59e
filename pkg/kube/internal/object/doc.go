// Package object converts between typed and unstructured objects, and registers the content of Secrets for redaction.
package object
