// Package step is the engine of hcctl: a step has a predicate (Check) and an action that makes it true (Apply).
//
// Graph.Check evaluates every predicate. Graph.Run evaluates it, applies the step if needed, and waits until the same
// predicate holds. Nothing else decides whether something is ready, so check and bootstrap cannot disagree. The package
// does not depend on Kubernetes: Options have the watches and the classes of errors.
//
// Rules:
//
//   - A Check only reads, through its Reads: from Options.ReadCache at first, from a Watch while it waits. It returns a
//     Finding: the state, one sentence, the object and a hint. An empty Finding is unknown, and unknown is never good.
//   - A step starts when all steps in Needs have succeeded. Independent steps run in parallel, and a failed step stops
//     only its dependents. After only orders steps: Graph.Only does not add them.
//   - Apply is called if Check returns missing, and again if it returns missing later. It is idempotent.
//   - A transient error of Apply is reported once and retried with a backoff, within the step's time. Any other error
//     ends the step.
//   - A waiting step repeats its Check when an object that the Check has read changes. With Finding.Recheck the Check
//     is also repeated after that time.
//   - A broken step ends at once. A step with Trouble, which may recover, waits for Options.TroubleTimeout.
//   - A step that reaches its timeout ends with its last Finding, which has the operator's message.
//   - Steps never call each other. Observers get each change of state once; every renderer is an observer.
package step
