-- Health of a HyperConverged (hco.kubevirt.io), for Argo CD, which has none of its own for it.
-- Argo CD runs this without Lua's string library, for one second at most.
local hs = { status = "Progressing", message = "The operator has not reported on it yet" }
if obj.metadata.deletionTimestamp ~= nil then
  hs.message = "Being deleted"
  return hs
end
if obj.status == nil or obj.status.conditions == nil then
  return hs
end
local conditions = {}
for _, condition in ipairs(obj.status.conditions) do
  conditions[condition.type] = condition
end
local function told(condition)
  local text = condition.type .. " is " .. condition.status
  if condition.message ~= nil and condition.message ~= "" then
    text = text .. ": " .. condition.message
  end
  return text
end
-- Degraded passes while it is being deployed, so only a deployment that is not in progress counts.
local degraded, progressing = conditions["Degraded"], conditions["Progressing"]
if degraded ~= nil and degraded.status == "True" and (progressing == nil or progressing.status ~= "True") then
  hs.status = "Degraded"
  hs.message = told(degraded)
  return hs
end
for _, name in ipairs({ "ReconcileComplete", "Available" }) do
  local condition = conditions[name]
  if condition == nil then
    return hs
  end
  if condition.status ~= "True" then
    hs.message = told(condition)
    return hs
  end
end
if progressing ~= nil and progressing.status == "True" then
  hs.message = told(progressing)
  return hs
end
hs.status = "Healthy"
hs.message = "Available"
return hs
