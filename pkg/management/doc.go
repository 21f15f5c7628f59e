// Package management holds what the plans for a management cluster share: what they read, and the verdicts in their
// documents.
package management
