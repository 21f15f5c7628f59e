// Package ptytest simulates a user at a pseudo terminal, for tests of commands that ask questions. It works on Linux
// only.
package ptytest
