// Package service defines a service of a hosted cluster: one value with Check, Apply and Remove.
package service
