// Package management has what the plans for a management cluster share: what they read, and the words of their
// documents.
package management
