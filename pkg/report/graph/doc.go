// Package graph draws steps and their needs: the results of a check, or the actions of a plan.
package graph
