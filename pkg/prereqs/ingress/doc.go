// Package ingress holds the prerequisites of ingress: wildcard Routes, and DNS for them.
package ingress
