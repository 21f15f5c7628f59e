// Package fakeapi is an API server for tests, with objects as it returns them.
package fakeapi
