// Package kube is hcctl's Kubernetes client: the kinds it knows, reads that become watches while a step waits,
// server-side apply, and classes of API errors.
//
// One table has every kind that hcctl uses, so the client needs no discovery. A CRD that is not registered yet is "not
// found", costs no request, and no cache of kinds can be out of date.
//
// Rules of reading:
//
//   - Who reads says how, by the Reader it is given: a Client is live, a Cache reads every object once per run, and a
//     Watch wakes its step. A Check gets a Reader from the engine; whatever writes reads live.
//   - While a step waits, the reads of its Check come from stores that watches keep up to date (package informer). A
//     change of one of those objects wakes the step.
//   - Everybody who reads the same objects shares one store. A change wakes only its subscribers; FieldFilter narrows a
//     subscription to part of a list by a field that the API server cannot select by.
//   - Changes reports each changed object at most once between two looks, however often it changed. Memory grows with
//     the objects, work with the changes.
//   - A watch that is silent is begun again after 15 minutes. HTTP/2 pings find a dead connection within 45 s.
//   - After 429, 5xx or a lost connection a watch goes on where it stopped, no sooner than Retry-After says. A reader
//     uses what is known for five seconds; after that the finding names the outage, once until it is over.
//   - FromCache reads may be as old as the API server's watch cache. A step that writes never decides by one.
//   - Requests that failed on one connection are retried two at a time (package transport).
package kube
