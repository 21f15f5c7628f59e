// Package kube is hcctl's Kubernetes client: the kinds it knows, reads that become watches while a step waits,
// server-side apply, and kinds of API errors.
//
// One table has every kind that hcctl uses, so the client needs no discovery. A CRD that is not registered yet is "not
// found" without a request, and no discovery cache can be out of date.
//
// Rules for reads:
//
//   - The Reader decides how an object is read: a Client is live, a Cache reads every object once per run, and a Watch
//     wakes its step. The engine passes a Reader to each Check; code that writes reads live.
//   - While a step waits, its Check reads from stores that watches keep up to date (package informer). A change of one
//     of those objects wakes the step.
//   - All readers of the same objects share one store. A change wakes only its subscribers; FieldFilter narrows a
//     subscription to part of a list by a field that the API server cannot select by.
//   - Changes reports each changed object at most once between two calls of Take, however often it changed. Memory
//     grows with the number of objects, work with the number of changes.
//   - A watch without events is restarted after 15 minutes. HTTP/2 pings detect a dead connection within 45 s.
//   - After 429, 5xx or a lost connection a watch resumes at its last resource version, no sooner than Retry-After
//     says. A reader uses the last known objects for five seconds; after that the finding reports the outage, once per
//     outage.
//   - FromCache reads may be as old as the API server's watch cache. A step never decides about a write by such a read.
//   - Requests that failed on one connection are retried two at a time (package transport).
package kube
