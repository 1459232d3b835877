import { createScript, type Script } from '../script.ts';
import { callFunctions } from './calls.ts';
import { listFunction } from './listing.ts';
import { prelude } from './prelude.ts';
import { splitFunction } from './split.ts';

/**
 * What few commits need. A script makes its functions anew each time it runs, so these are made when the first of them
 * is asked for.
 */
const seldom = `
local function make_seldom()
${splitFunction}${callFunctions}
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

  return {
    index_answered = index_answered,
    ['call-begins'] = function()
      local row = find_call(take())
      return begins_with(row, take())
    end,
    ['reference-begins'] = function()
      local row = call('HGET', tree .. ':references:' .. take(), take())
      return begins_with(row, take())
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
    ['keep-messages'] = function()
      local key, count = tree .. ':messages:' .. take(), tonumber(take())
      if count == 0 then call('DEL', key) else call('LTRIM', key, 0, count - 1) end
    end,
    ['drop-checkpoints'] = function()
      call('ZREMRANGEBYSCORE', tree .. ':checkpoints:' .. take(), '(' .. take(), '+inf')
    end,
  }
end

local made
local function seldom(word)
  made = made or make_seldom()
  return made[word]()
end
`;

/**
 * A commit plan: ARGV[5] names the sending and ARGV[6] the session that remembers it, then come the checks, an empty word, and the writes (session/render-plan.ts).
 * Nothing is written before every check has passed. Answers 1, or 0 when a check did not pass.
 */
const text = `${prelude}${listFunction}
local sending, keeper, at, seen = ARGV[5], ARGV[6], 7, {}
local root_moved, calls_moved = false, false

local function take()
  at = at + 1
  return ARGV[at - 1]
end

local function begins_with(row, prefix)
  return row and string.sub(row, 1, #prefix) == prefix
end
${seldom}
local function passes(word)
  if word == 'session' then
    local id, version, epoch = take(), take(), take()
    local step, records, statuses, lease = take(), take(), take(), take()
    local row = call('HMGET', session_key(id),
      'version', 'epoch', 'stepId', 'records', 'status', 'leaseUntil', 'userId')
    seen[id] = row
    return row[1] and (version == '' or version == row[1]) and (epoch == '' or epoch == row[2])
      and (step == '' or step == row[3]) and (records == '' or records == row[4])
      and (statuses == '' or string.find(statuses, row[5], 1, true))
      and (lease == '' or not row[6] or tonumber(row[6]) <= now)
  elseif word == 'length' then
    return call('LLEN', tree .. take()) == tonumber(take())
  elseif word == 'field' then
    return call('HEXISTS', tree .. take(), take()) == 0
  elseif word == 'score' then
    local key, score = tree .. take(), take()
    return call('ZCOUNT', key, score, score) == 0
  elseif word == 'absent' then
    return call('EXISTS', session_key(take())) == 0
  elseif word == 'free' then
    return call('EXISTS', tree .. take()) == 0
  end
  return seldom(word)
end

while ARGV[at] ~= '' do
  if not passes(take()) then
    -- Sent twice by the client: the first one may have been applied.
    local names = {}
    for place = 0, 15 do names[place + 1] = 'sending:' .. place end
    for _, name in ipairs(call('HMGET', session_key(keeper), unpack(names))) do
      if name == sending then return 1 end
    end
    return 0
  end
end
at = at + 1

-- Columns to set; says the new time of the last change, and the user, where they are among them.
local function set_columns(key, command)
  local updated, user
  local count, last = #command, at + 2 * ARGV[at]
  for place = at + 1, last, 2 do
    local name, value = ARGV[place], ARGV[place + 1]
    if shift ~= 0 and string.find(name, 'At$') or name == 'leaseUntil' then value = time(value) end
    if name == 'updatedAt' then updated = value elseif name == 'userId' then user = value end
    command[count + 1], command[count + 2] = name, value
    count = count + 2
  end
  at = last + 1
  if count > 0 then call('HSET', key, unpack(command)) end
  return updated, user
end

local function drop_columns(key)
  local last = at + ARGV[at]
  if last > at then call('HDEL', key, unpack(ARGV, at + 1, last)) end
  at = last + 1
end

local function write(word)
  if word == 'session' then
    local id, version, records, moves = take(), take(), take(), take()
    local row, key, command = seen[id], session_key(id), {}
    if version == '1' then command[1], command[2] = 'version', whole(row[1] + 1) end
    if records == '1' then
      local count = #command
      command[count + 1], command[count + 2] = 'records', whole(row[4] + 1)
    end
    if id == keeper then
      local count = #command
      command[count + 1], command[count + 2] = 'sending:' .. (row[1] + row[4]) % 16, sending
    end
    local updated, user = set_columns(key, command)
    drop_columns(key)
    if updated then list(id, user or row[7], updated) end
    if moves == '1' and id == root then root_moved = true end
  elseif word == 'messages' then
    local key, last = tree .. ':messages:' .. take(), at + 2 * ARGV[at]
    local rows = {}
    for place = at + 1, last, 2 do rows[#rows + 1] = time(ARGV[place]) .. '\\n' .. ARGV[place + 1] end
    at = last + 1
    for first = 1, #rows, 1000 do
      call('RPUSH', key, unpack(rows, first, math.min(first + 999, #rows)))
    end
  elseif word == 'checkpoint' then
    local key, version, created = tree .. ':checkpoints:' .. take(), take(), time(take())
    call('ZADD', key, version, created .. '\\n' .. take())
  elseif word == 'usage' then
    local id, field, created = take(), take(), time(take())
    -- In the order of the plan, after those of earlier commits.
    local place = (seen[id] and seen[id][1] or 0) * 1000 + at
    call('HSET', tree .. ':usage:' .. id, field, created .. '\\n' .. whole(place) .. '\\n' .. take())
    if not seen[id] then call('SADD', tree .. ':sessions', id) end
  elseif word == 'run' then
    local key = tree .. ':run:' .. take()
    if call('EXISTS', key) == 1 then
      set_columns(key, {})
      drop_columns(key)
    else
      at = at + 2 * ARGV[at] + 1
      at = at + ARGV[at] + 1
    end
  elseif word == 'new-run' then
    local id, run, turn = take(), take(), take()
    set_columns(tree .. ':run:' .. run, {})
    call('ZADD', tree .. ':turns:' .. id, turn, run)
  elseif word == 'stamped' then
    local key, field, created = tree .. take(), take(), time(take())
    call('HSET', key, field, created .. '\\n' .. take())
  elseif word == 'drop-step' then
    local key, prefix = tree .. ':journal:' .. take(), take()
    for _, field in ipairs(call('HKEYS', key)) do
      if begins_with(field, prefix) then call('HDEL', key, field) end
    end
  elseif word == 'drop-field' then
    call('HDEL', tree .. take(), take())
  elseif word == 'new-session' then
    local id = take()
    local updated, user = set_columns(session_key(id), id == keeper and { 'sending:0', sending } or {})
    call('SADD', tree .. ':sessions', id)
    list(id, user, updated)
    if id == root then root_moved = true end
  else
    seldom(word)
  end
end

while ARGV[at] do write(take()) end

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
if root_moved or calls_moved then seldom('index_answered') end
return 1
`;

export const commitScript: Script = createScript(text);
