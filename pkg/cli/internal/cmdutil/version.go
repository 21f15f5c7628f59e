package cmdutil

// Version comes from the linker, by the repository's tags.
var Version = "devel"
