// Package object converts between typed and unstructured objects, and keeps the content of Secrets out of messages.
package object
