package options

// IngressMode says who makes the way in for a hosted cluster's *.apps on the management cluster.
type IngressMode string

// Who makes it.
const (
	// IngressAuto leaves it to the operators where they do it: for clusters whose ingress passes through, from 4.12.2 on.
	IngressAuto IngressMode = "auto"
	// IngressService has hcctl make it, whatever the version.
	IngressService IngressMode = "service"
	// IngressOperator leaves it to the operators, or to the user.
	IngressOperator IngressMode = "operator"
)

// IngressModes lists every IngressMode.
func IngressModes() []IngressMode { return []IngressMode{IngressAuto, IngressService, IngressOperator} }
