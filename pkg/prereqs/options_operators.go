package prereqs

// OperatorOptions pins one operator. The zero value leaves everything to discovery.
type OperatorOptions struct {
	// StartingCSV is the exact version to install, such as "multicluster-engine.v2.10.0". It makes the Subscription's approval
	// Manual: hcctl approves that version and nothing else.
	StartingCSV string
	// Channel overrides the channel that fits.
	Channel string
	// CatalogSource overrides the catalog, by name in openshift-marketplace.
	CatalogSource string
}

func (o Options) validateOperators() error { return nil }
