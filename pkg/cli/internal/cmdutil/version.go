package cmdutil

// Version is set by the linker from the repository's tags.
var Version = "devel"
