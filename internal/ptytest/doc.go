// Package ptytest has a user at a pseudo terminal, for tests of commands that ask. It is for Linux.
package ptytest
