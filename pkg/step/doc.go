// Package step is the engine of hcctl: a step is a predicate (Check) and a way to make it true (Apply).
//
// Graph.Check asks every predicate. Graph.Run asks, makes true what is not, and waits until the same predicate holds.
// Nothing else decides whether something is ready, so check and bootstrap cannot disagree. The package knows nothing
// of Kubernetes: Options hand in what to watch and which errors are transient.
//
// Rules:
//
//   - A Check only reads, in the way that its Reads say: from Options.ReadCache at first, from a Watch while it waits.
//     It returns a Finding: the state, one sentence, the object and a hint. A Finding that nobody filled in is unknown,
//     and unknown is never good.
//   - A step begins when all steps in Needs have ended well. Independent steps run side by side, and a step that fails
//     stops only those that need it. After only orders steps: Graph.Only does not add them.
//   - Apply is called when Check says missing, and again if that comes back. It is idempotent.
//   - A transient error of Apply is reported once and retried with a backoff, within the step's time. Any other error
//     ends the step.
//   - A waiting step checks again when an object changes that its Check has read. A Finding with Recheck is checked
//     again after that time as well.
//   - A broken step ends at once. Trouble that may pass is waited for as long as Options.TroubleTimeout.
//   - A step that runs out of time ends with its last Finding, in the operator's own words.
//   - Steps never call each other. Observers get each change of state once; every renderer is an observer.
package step
