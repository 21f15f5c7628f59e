// Package prereq holds what the groups of prerequisites share: IDs that other groups need, facts about the cluster,
// conditions, patches, and words of findings. It knows no group.
package prereq
