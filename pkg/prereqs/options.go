package prereqs

// Options is what a person can say about the prerequisites. The zero value keeps what is there and installs the rest in Red
// Hat's way; it works on a cluster that has address pools.
type Options struct {
	Storage        StorageOptions
	Virtualization VirtualizationOptions
	LoadBalancer   LoadBalancerOptions
	// Operators pins operators, by OLM package, such as "multicluster-engine".
	Operators map[string]OperatorOptions
}

// Validate returns an error naming the flag and the value that is wrong.
func (o Options) Validate() error {
	for _, validate := range []func() error{o.Storage.validate, o.Virtualization.validate, o.LoadBalancer.validate, operatorPins(o.Operators).validate} {
		if err := validate(); err != nil {
			return err
		}
	}
	return nil
}
