// Package schedule stops and starts hosted clusters at set times: it makes CronJobs that run hcctl stop and hcctl start
// inside the management cluster, with a ServiceAccount that may do that and nothing else.
package schedule
