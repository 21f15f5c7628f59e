// Package budget limits hcctl's costs that do not depend on the machine: requests in the API server's audit log, the
// size of the program, and its linked packages. Its tests compare them with budget.yaml, and fail if a figure is over
// its budget or far below it.
package budget
