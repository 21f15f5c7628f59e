// Package finding is what the plans for a management cluster say of one thing: whether it is in the way, and what to
// do.
package finding
