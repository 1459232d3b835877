import { callFunctions } from './calls.ts';
import {
  callLine,
  callTimes,
  inputLine,
  inputTimes,
  referenceLine,
  referenceTimes,
  timeFields,
} from './columns.ts';
import { inputFunctions } from './inputs.ts';
import { listFunction } from './listing.ts';
import { splitFunction } from './split.ts';
import { TOP_FIELD } from '../rows/columns.ts';
import { appendFunction, statusFunction, streamKeys } from './stream-functions.ts';

/**
 * Words that few commits have, as `seldom(word)`. Lua creates the functions of a script each time it runs, so these are created when the
 * first is needed. A word takes its arguments from `at` on and is about the session `id`; a check returns whether it passes.
 */
export const seldomWords: string = `
local function make_seldom()
  local function take()
    at = at + 1
    return ARGV[at - 1]
  end
${splitFunction}${callFunctions}${inputFunctions}${listFunction}
  local function begins_with(row, prefix)
    return row and string.sub(row, 1, #prefix) == prefix
  end

  local call_times, reference_times, time_fields = ${callTimes}, ${referenceTimes}, ${timeFields}
  local input_times = ${inputTimes}

  local function change_lines(lines, times)
    for _ = 1, take() do
      local number, value = tonumber(take()), take()
      lines[number] = times[number] and time(value) or value
    end
  end

  local function shift_lines(row, times)
    if shift == 0 then return row end
    local lines = split(row)
    for number in pairs(times) do lines[number] = time(lines[number]) end
    return table.concat(lines, '\\n')
  end

  local function put_reference(sub, row)
    local lines = split(row)
    local member = root .. ':' .. id .. ':' .. sub
    call('HSET', tree .. ':references:' .. id, sub, row)
    -- Scored by step; references that are not closed have the highest score.
    call('ZADD', tree .. ':reference-steps:' .. id, 
      lines[${referenceLine.state}] == '"closed"' and lines[${referenceLine.stepId}] or '+inf', sub)
    if lines[${referenceLine.state}] == '"closing"' then
      call('ZADD', area .. ':closing', lines[${referenceLine.startedAt}], member)
    else
      call('ZREM', area .. ':closing', member)
    end
  end

  -- Columns and values alternate. Returns the new updatedAt and the user, if they are among them.
  local function set_columns(key, first, last)
    local updated, user
    for place = first, last, 2 do
      local name = ARGV[place]
      if time_fields[name] then ARGV[place + 1] = time(ARGV[place + 1]) end
      if name == 'updatedAt' then
        updated = ARGV[place + 1]
      elseif name == 'userId' then
        user = ARGV[place + 1]
      end
    end
    if last > first then call('HSET', key, unpack(ARGV, first, last)) end
    return updated, user
  end

  -- The range of the arguments with columns, which are skipped.
  local function take_columns()
    local first, last = at + 1, at + ARGV[at]
    at = last + 1
    return first, last
  end

  return {
    -- A check failed. Returns 1 if the client sent the command twice and the first one was applied.
    refuse = function()
      local names = {}
      for place = 0, 15 do names[place + 1] = 'sending:' .. place end
      for _, name in ipairs(call('HMGET', session_key(keeper), unpack(names))) do
        if name == sending then return 1 end
      end
      return 0
    end,
    set_session = function(key, first, last, change)
      local updated, user = set_columns(key, first, last)
      if updated then list(id, user or call('HGET', key, 'userId'), updated) end
      if change == 'moved' and is_top(id) then tops_moved[id] = true end
    end,
    index_tops = function()
      for top in pairs(tops_moved) do
        index_top(top)
        if not calls_moved then index_answered(top) end
      end
      if calls_moved then index_all_answered() end
    end,
    of = function()
      id = take()
      return true
    end,
    absent = function()
      return call('EXISTS', session_key(id)) == 0
    end,
    ['cut-length'] = function()
      local cut, length = tonumber(take()), tonumber(take())
      return math.min(call('LLEN', tree .. ':messages:' .. id), cut) == length
    end,
    ['id-cut'] = function()
      local number = call('HGET', tree .. ':message-ids:' .. id, take())
      local cut = tonumber(take())
      return not number or tonumber(number) > cut
    end,
    ['message-id'] = function()
      local name, number = take(), take()
      call('HSET', tree .. ':message-ids:' .. id, name, number)
    end,
    ['not-closed'] = function()
      return call('HGET', session_key(id), 'closed') == 'false'
    end,
    ['interrupt-waits'] = function()
      local row, scope = call('HGET', session_key(id), take()), take()
      return row and (scope == '' or string.find(row, '\\n' .. scope .. '\\n', 1, true))
    end,
    ['run-absent'] = function()
      return call('EXISTS', tree .. ':run:' .. take()) == 0
    end,
    ['call-absent'] = function()
      return not find_call(take())
    end,
    ['call-begins'] = function()
      local row = find_call(take())
      return begins_with(row, take())
    end,
    ['reference-begins'] = function()
      local row = call('HGET', tree .. ':references:' .. id, take())
      return begins_with(row, take())
    end,
    ['new-session'] = function()
      local first, last = take_columns()
      if ARGV[first + 1] == '' then ARGV[first], ARGV[first + 1] = 'sending:0', sending end
      local updated, user = set_columns(session_key(id), first, last)
      call('SADD', tree .. ':sessions', id)
      list(id, user, updated)
      if call('HEXISTS', session_key(id), '${TOP_FIELD}') == 1 then call('SADD', tree .. ':tops', id) end
      if is_top(id) then tops_moved[id] = true end
    end,
    ['new-run'] = function()
      local run, turn = take(), take()
      set_columns(tree .. ':run:' .. run, take_columns())
      call('ZADD', tree .. ':turns:' .. id, turn, run)
    end,
    run = function()
      local key = tree .. ':run:' .. take()
      local first, last = take_columns()
      local first_null, last_null = take_columns()
      if call('EXISTS', key) == 0 then return end
      set_columns(key, first, last)
      if last_null >= first_null then call('HDEL', key, unpack(ARGV, first_null, last_null)) end
    end,
    ['new-call'] = function()
      local field, row = take(), take()
      put_call(field, split(shift_lines(row, call_times)))
      calls_moved = true
    end,
    call = function()
      local field, only_if = take(), take()
      local row, home = find_call(field)
      local lines = row and split(row) or {}
      local fits = row and (only_if == '' or lines[${callLine.state}] == only_if)
      change_lines(lines, call_times)
      if fits then put_call(field, lines, home) end
      calls_moved = true
    end,
    input = function()
      local field, only_if = take(), take()
      local row = call('HGET', tree .. ':inputs:' .. id, field)
      local lines = row and split(row) or {}
      local fits = row and (only_if == '' or lines[${inputLine.state}] == only_if)
      change_lines(lines, input_times)
      if fits then put_input(id, field, lines) end
    end,
    ['new-reference'] = function()
      local sub, row = take(), take()
      put_reference(sub, shift_lines(row, reference_times))
    end,
    reference = function()
      local sub = take()
      local row = call('HGET', tree .. ':references:' .. id, sub)
      local lines = row and split(row) or {}
      change_lines(lines, reference_times)
      if row then put_reference(sub, table.concat(lines, '\\n')) end
    end,
    ['drop-step'] = function()
      local key, prefix = tree .. ':journal:' .. id, take()
      for _, field in ipairs(call('HKEYS', key)) do
        if begins_with(field, prefix) then call('HDEL', key, field) end
      end
    end,
    ['drop-interrupt'] = function()
      call('HDEL', session_key(id), take())
    end,
    ['keep-messages'] = function()
      local key, count = tree .. ':messages:' .. id, tonumber(take())
      if count == 0 then call('DEL', key) else call('LTRIM', key, 0, count - 1) end
      local ids = tree .. ':message-ids:' .. id
      local rows = call('HGETALL', ids)
      for place = 1, #rows, 2 do
        if tonumber(rows[place + 1]) > count then call('HDEL', ids, rows[place]) end
      end
    end,
    -- Nobody sees the stream between open and close, so that only its final status is written.
    stream = function()
      ${streamKeys("area .. ':' .. take()")}${statusFunction}${appendFunction}
      local agent, kind, most = take(), take(), take()
      local status, ttl, field, value = take(), take(), take(), take()
      local count, keyed = tonumber(take()), tonumber(take())
      local row = call('HMGET', info, 'status', 'head')
      if not row[1] then
        call('HSET', info, 'status', 'active', 'head', 0, 'agentId', agent, 'agentType', kind)
      end
      append(tonumber(row[2] or 0), at - 1, count, keyed > 0 and at - 1 + count, most)
      at = at + count + keyed
      if status ~= '' then
        set_status(status, ttl, field, value)
      elseif row[1] and row[1] ~= 'active' then
        set_status('active', '0', '', '')
      end
    end,
    ['drop-checkpoints'] = function()
      call('ZREMRANGEBYSCORE', tree .. ':checkpoints:' .. id, '(' .. take(), '+inf')
    end,
  }
end

local made
local function seldom(name, ...)
  made = made or make_seldom()
  return made[name](...)
end
`;
