// Package schedule stops and starts hosted clusters at set times. It makes CronJobs that run hcctl stop and
// hcctl start inside the management cluster, with a ServiceAccount that has only the rights for that.
package schedule
