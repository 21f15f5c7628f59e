-- Health of a Subscription (operators.coreos.com), for Argo CD. It takes the place of Argo CD's own check, which stays
-- Progressing for ever where a version is pinned: OLM then always offers a newer one that nobody approves.
-- Argo CD runs this without Lua's string library, for one second at most.
local hs = { status = "Progressing", message = "The operator is not installed yet" }
if obj.status == nil then
  return hs
end
if obj.status.conditions ~= nil then
  for _, condition in ipairs(obj.status.conditions) do
    local bad = condition.type == "CatalogSourcesUnhealthy" or condition.type == "InstallPlanFailed"
        or condition.type == "ResolutionFailed" or condition.type == "BundleUnpackFailed"
    if bad and condition.status == "True" then
      hs.status = "Degraded"
      hs.message = condition.type .. ": " .. (condition.message or "")
      return hs
    end
  end
end
local installed = obj.status.installedCSV
if installed == nil or installed == "" then
  if obj.spec.installPlanApproval == "Manual" then
    hs.message = "The InstallPlan has to be approved"
  end
  return hs
end
if obj.spec.installPlanApproval == "Manual" and obj.spec.startingCSV ~= nil then
  hs.message = installed .. " is installed"
  if installed == obj.spec.startingCSV then
    hs.status = "Healthy"
  else
    hs.message = hs.message .. ", and " .. obj.spec.startingCSV .. " is wanted"
  end
  return hs
end
if obj.status.state == "AtLatestKnown" then
  hs.status = "Healthy"
end
hs.message = installed .. " is installed, state " .. (obj.status.state or "not known yet")
return hs
