// Package service says what a service of a hosted cluster is: one value with Check, Apply and Remove.
package service
