-- Health of a HostedCluster (hypershift.openshift.io), for Argo CD.
-- Argo CD runs this without Lua's string library, for one second at most.
local hs = { status = "Progressing", message = "The operator has not reported on it yet" }
if obj.metadata.deletionTimestamp ~= nil then
  hs.message = "Being deleted"
  return hs
end
local conditions = {}
if obj.status ~= nil and obj.status.conditions ~= nil then
  for _, condition in ipairs(obj.status.conditions) do
    conditions[condition.type] = condition
  end
end
local function told(condition)
  local text = condition.type .. " is " .. condition.status
  if condition.message ~= nil and condition.message ~= "" then
    text = text .. ": " .. condition.message
  end
  return text
end
local active = conditions["ReconciliationActive"]
-- Not Suspended: a sync with hooks would wait for it for ever, and take no other commit, such as the one that ends the pause.
if obj.spec.pausedUntil ~= nil and obj.spec.pausedUntil ~= "" and (active == nil or active.status == "False") then
  hs.status = "Healthy"
  hs.message = "Paused until " .. obj.spec.pausedUntil
  return hs
end
-- The operator does not retry these: the terminal reasons of hcctl's table of conditions. It retries the lookup of an image.
local lookup = "failed to lookup release image"
local function begins(text, part)
  return text ~= nil and text >= part and text < part .. "\255"
end
local final = {
  EtcdRecoveryActive = "EtcdRecoveryJobFailed",
  SupportedHostedCluster = "UnsupportedHostedCluster",
  ValidReleaseImage = "InvalidImage",
}
for name, reason in pairs(final) do
  local condition = conditions[name]
  if condition ~= nil and condition.status == "False" and condition.reason == reason and not begins(condition.message, lookup) then
    hs.status = "Degraded"
    hs.message = told(condition)
    return hs
  end
end
local available = conditions["Available"]
if available == nil then
  return hs
end
if available.observedGeneration ~= nil and obj.metadata.generation ~= nil
    and available.observedGeneration < obj.metadata.generation then
  hs.message = "The operator has not seen the last change yet"
  return hs
end
local degraded = conditions["Degraded"]
if available.status ~= "True" then
  hs.message = told(available)
  -- A cluster that was complete once and is not available now is broken, not young.
  local history = obj.status.version ~= nil and obj.status.version.history or {}
  for _, entry in ipairs(history) do
    if entry.state == "Completed" then
      hs.status = "Degraded"
    end
  end
  return hs
end
if degraded ~= nil and degraded.status == "True" then
  hs.status = "Degraded"
  hs.message = told(degraded)
  return hs
end
local history = obj.status.version ~= nil and obj.status.version.history or {}
if history[1] == nil or history[1].state ~= "Completed" then
  hs.message = "The API server is available, the release is being rolled out"
  return hs
end
hs.status = "Healthy"
hs.message = "Available"
if history[1].version ~= nil then
  hs.message = "Available, version " .. history[1].version
end
return hs
