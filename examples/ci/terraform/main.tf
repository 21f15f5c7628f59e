# The address and the version of a hosted cluster, for what Terraform makes beside it. The role:
#   hcctl rbac --for viewer --namespace clusters --serviceaccount clusters:terraform
terraform {
  required_providers {
    external = { source = "hashicorp/external" }
  }
}

variable "cluster" {
  type        = string
  description = "the hosted cluster"
}

data "external" "cluster" {
  program = ["sh", "${path.module}/status.sh"]
  query   = { name = var.cluster }
}

output "api" {
  value = data.external.cluster.result.host
}
