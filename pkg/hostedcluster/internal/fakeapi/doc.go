// Package fakeapi is an API server for tests, and objects as it returns them.
package fakeapi
