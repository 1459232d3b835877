import { createScript, type Script } from '../script.ts';
import { callFunctions } from './calls.ts';
import { prelude } from './prelude.ts';
import { usageFunctions } from './usage.ts';

/**
 * A commit plan: ARGV[5] names the sending, then come the checks, an empty word, and the writes (session/render-plan.ts).
 * Nothing is written before every check has passed. Answers 1, or 0 when a check did not pass.
 */
const text = `${prelude}${callFunctions}${usageFunctions}
local sending = ARGV[5]
local at = 6

local function take()
  at = at + 1
  return ARGV[at - 1]
end

local seen = {}

local function begins_with(row, prefix)
  return row and string.sub(row, 1, #prefix) == prefix
end

local checks = {
  session = function()
    local id, version, epoch = take(), take(), take()
    local step, records, statuses, lease = take(), take(), take(), take()
    local row = call('HMGET', session_key(id),
      'version', 'epoch', 'stepId', 'records', 'status', 'leaseUntil', 'userId')
    seen[id] = row
    return row[1] and (version == '' or version == row[1]) and (epoch == '' or epoch == row[2])
      and (step == '' or step == row[3]) and (records == '' or records == row[4])
      and (statuses == '' or string.find(statuses, row[5], 1, true))
      and (lease == '' or not row[6] or tonumber(row[6]) <= now)
  end,
  absent = function() return call('EXISTS', session_key(take())) == 0 end,
  call = function()
    local row = find_call(take())
    return begins_with(row, take())
  end,
  reference = function()
    local row = call('HGET', tree .. ':references:' .. take(), take())
    return begins_with(row, take())
  end,
  field = function() return call('HEXISTS', tree .. take(), take()) == 0 end,
  score = function()
    local key, score = tree .. take(), take()
    return call('ZCOUNT', key, score, score) == 0
  end,
  length = function() return call('LLEN', tree .. take()) == tonumber(take()) end,
}

while ARGV[at] ~= '' do
  if not checks[take()]() then
    -- Sent twice by the client: the first one was applied.
    return call('LPOS', tree .. ':writes', sending) and 1 or 0
  end
end
at = at + 1

local root_moved, calls_moved = false, false

local function list(id, user, updated)
  local score = '-' .. updated
  if id ~= root then
    call('ZADD', area .. ':children', score, id .. ':' .. root)
    return
  end
  call('ZADD', area .. ':roots', score, id)
  if user then call('ZADD', area .. ':roots:' .. user, score, id) end
end

local TIMES = { leaseUntil = true, createdAt = true, updatedAt = true }
-- What the indexes over running and answered roots depend on.
local MOVES = { status = true, leaseUntil = true, started = true, hostKind = true, error = true }

local function take_columns(id, command)
  local updated, user
  for _ = 1, take() do
    local name, value = take(), take()
    if TIMES[name] then value = time(value) end
    if name == 'updatedAt' then updated = value end
    if name == 'userId' then user = value end
    if id == root and MOVES[name] then root_moved = true end
    command[#command + 1] = name
    command[#command + 1] = value
  end
  return updated, user
end

local function change_lines(lines, first_time, last_time)
  for _ = 1, take() do
    local number, value = tonumber(take()), take()
    if number >= first_time and number <= last_time then value = time(value) end
    lines[number] = value
  end
end

local function shift_lines(row, first_time, last_time)
  if shift == 0 then return row end
  local lines = split(row)
  for number = first_time, last_time do lines[number] = time(lines[number]) end
  return table.concat(lines, '\\n')
end

local function put_reference(id, sub, row)
  local lines = split(row)
  local member = root .. ':' .. id .. ':' .. sub
  call('HSET', tree .. ':references:' .. id, sub, row)
  -- By step; what is not closed comes after every step.
  call('ZADD', tree .. ':reference-steps:' .. id, lines[1] == '"closed"' and lines[4] or '+inf', sub)
  if lines[1] == '"closing"' then
    call('ZADD', area .. ':closing', lines[2], member)
  else
    call('ZREM', area .. ':closing', member)
  end
end

local writes = {
  ['new-session'] = function()
    local id, command = take(), {}
    local updated, user = take_columns(id, command)
    call('HSET', session_key(id), unpack(command))
    call('SADD', tree .. ':sessions', id)
    list(id, user, updated)
  end,
  session = function()
    local id, version, records = take(), take(), take()
    local row, command = seen[id], {}
    local updated, user = take_columns(id, command)
    if version == '1' then
      command[#command + 1] = 'version'
      command[#command + 1] = whole(row[1] + 1)
    end
    if records == '1' then
      command[#command + 1] = 'records'
      command[#command + 1] = whole(row[4] + 1)
    end
    if #command > 0 then call('HSET', session_key(id), unpack(command)) end
    local gone = {}
    for _ = 1, take() do
      local name = take()
      if id == root and MOVES[name] then root_moved = true end
      gone[#gone + 1] = name
    end
    if #gone > 0 then call('HDEL', session_key(id), unpack(gone)) end
    if updated then list(id, user or row[7], updated) end
  end,
  messages = function()
    local key = tree .. ':messages:' .. take()
    for _ = 1, take() do
      local created = time(take())
      call('RPUSH', key, created .. '\\n' .. take())
    end
  end,
  stamped = function()
    local key, field, created = tree .. take(), take(), time(take())
    call('HSET', key, field, created .. '\\n' .. take())
  end,
  usage = function()
    local id = take()
    add_usage(id, take(), time(take()), take())
  end,
  checkpoint = function()
    local key, version, created = tree .. ':checkpoints:' .. take(), take(), time(take())
    call('ZADD', key, version, created .. '\\n' .. take())
  end,
  ['new-run'] = function()
    local id, run, turn, row = take(), take(), take(), take()
    call('HSET', tree .. ':runs', run, shift_lines(row, 1, 2))
    call('ZADD', tree .. ':turns:' .. id, turn, run)
  end,
  run = function()
    local run = take()
    local row = call('HGET', tree .. ':runs', run)
    local lines = row and split(row) or {}
    change_lines(lines, 1, 2)
    if row then call('HSET', tree .. ':runs', run, table.concat(lines, '\\n')) end
  end,
  ['new-call'] = function()
    local field, row = take(), take()
    put_call(field, split(shift_lines(row, 3, 8)))
    calls_moved = true
  end,
  call = function()
    local field, only_if = take(), take()
    local row, home = find_call(field)
    local lines = row and split(row) or {}
    local fits = row and (only_if == '' or lines[1] == only_if)
    change_lines(lines, 3, 8)
    if fits then put_call(field, lines, home) end
    calls_moved = true
  end,
  ['new-reference'] = function()
    local id, sub, row = take(), take(), take()
    put_reference(id, sub, shift_lines(row, 2, 3))
  end,
  reference = function()
    local id, sub = take(), take()
    local row = call('HGET', tree .. ':references:' .. id, sub)
    local lines = row and split(row) or {}
    change_lines(lines, 2, 3)
    if row then put_reference(id, sub, table.concat(lines, '\\n')) end
  end,
  ['drop-step'] = function()
    local key, prefix = tree .. ':journal:' .. take(), take()
    for _, field in ipairs(call('HKEYS', key)) do
      if begins_with(field, prefix) then call('HDEL', key, field) end
    end
  end,
  ['drop-field'] = function() call('HDEL', tree .. take(), take()) end,
  ['keep-messages'] = function()
    local key, count = tree .. ':messages:' .. take(), tonumber(take())
    if count == 0 then call('DEL', key) else call('LTRIM', key, 0, count - 1) end
  end,
  ['drop-checkpoints'] = function()
    call('ZREMRANGEBYSCORE', tree .. ':checkpoints:' .. take(), '(' .. take(), '+inf')
  end,
}

while ARGV[at] do writes[take()]() end

if root_moved then
  local row = call('HMGET', session_key(root), 'status', 'leaseUntil', 'started', 'updatedAt')
  local running = row[1] == '"running"'
  if running and row[2] then
    call('ZADD', area .. ':leases', row[2], root)
  else
    call('ZREM', area .. ':leases', root)
  end
  if running and row[3] == 'false' then
    call('ZADD', area .. ':unstarted', row[4], root)
  else
    call('ZREM', area .. ':unstarted', root)
  end
end
if root_moved or calls_moved then index_answered() end
if call('LPUSH', tree .. ':writes', sending) > 64 then call('LTRIM', tree .. ':writes', 0, 31) end
return 1
`;

export const commitScript: Script = createScript(text);
