// Package budget holds hcctl to what it may cost, where that does not depend on the machine: requests by the API
// server's audit log, allocations, the size of the program, and what is linked into it. The figures are in budget.yaml;
// its tests fail where one is over, or so far under that it holds nothing any more.
package budget
