// Package prereq holds what the groups of prerequisites share: the type Prerequisite, IDs that other groups need, facts
// about the cluster and the rights to read them, conditions, patches, and parts of messages. It imports no group.
package prereq
