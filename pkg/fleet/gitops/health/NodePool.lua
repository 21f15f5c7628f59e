-- Health of a NodePool (hypershift.openshift.io), for Argo CD.
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
-- Waiting does not help here: the terminal reasons of hcctl's table of conditions.
local final = {
  UpdatingConfig = "InplaceUpgradeFailed",
  UpdatingVersion = "InplaceUpgradeFailed",
  ValidMachineTemplate = "InvalidKubevirtMachineTemplate",
}
for name, reason in pairs(final) do
  local condition = conditions[name]
  if condition ~= nil and condition.status == "False" and condition.reason == reason then
    hs.status = "Degraded"
    hs.message = told(condition)
    return hs
  end
end
local ready = conditions["Ready"]
if ready == nil then
  return hs
end
if ready.observedGeneration ~= nil and obj.metadata.generation ~= nil
    and ready.observedGeneration < obj.metadata.generation then
  hs.message = "The operator has not seen the last change yet"
  return hs
end
for _, name in ipairs({ "UpdatingVersion", "UpdatingConfig", "UpdatingPlatformMachineTemplate" }) do
  local condition = conditions[name]
  if condition ~= nil and condition.status == "True" then
    hs.message = told(condition)
    return hs
  end
end
local wanted = obj.spec.replicas
local there = obj.status.replicas or 0
if wanted ~= nil and there ~= wanted then
  hs.message = there .. " of " .. wanted .. " nodes"
  return hs
end
if wanted == 0 then
  hs.status = "Healthy" -- not Suspended, see above
  hs.message = "Stopped: no nodes are wanted"
  return hs
end
if ready.status ~= "True" then
  hs.message = told(ready)
  return hs
end
local healthy = conditions["AllNodesHealthy"]
if healthy ~= nil and healthy.status == "False" then
  hs.message = told(healthy)
  return hs
end
hs.status = "Healthy"
hs.message = there .. " nodes are ready"
return hs
