/**
 * Rows of human calls and the indexes over them. Line numbers are those of CALL_LINES: 1 state, 2 outcome, 3 deadline,
 * 4 reminder, 5 purge, 6 opened, 7 answered at, 8 settled at, 9 answer, 10 by whom, 11 user, 12 owner, 13 sending, 17 kind,
 * 25 approval id.
 *
 * `calls` holds what is open or answered, `settled` the rest, so that a step never walks over settled ones.
 * `open` has the open ones by deadline.
 */
export const callFunctions = `
local function find_call(field)
  local row = call('HGET', tree .. ':calls', field)
  if row then return row, 'calls' end
  return call('HGET', tree .. ':settled', field), 'settled'
end

local function schedule(index, at, member)
  if at == 'null' then
    call('ZREM', area .. index, member)
  else
    call('ZADD', area .. index, at, member)
  end
end

local function close_open(field, lines, member)
  if call('ZREM', tree .. ':open', field) == 0 then return end
  call('ZREM', area .. ':inbox', member)
  call('ZREM', area .. ':inbox:' .. lines[11], member)
  call('ZREM', area .. ':deadlines', member)
  call('ZREM', area .. ':reminders', member)
end

local function put_call(field, lines, home)
  local member = root .. ':' .. field
  local settled = lines[1] == '"settled"'
  local place = settled and 'settled' or 'calls'
  if home and home ~= place then
    call('HDEL', tree .. ':' .. home, field)
    if home == 'settled' then call('ZREM', area .. ':purges', member) end
  end
  call('HSET', tree .. ':' .. place, field, table.concat(lines, '\\n'))
  if settled then schedule(':purges', lines[5], member) end
  if lines[1] ~= '"open"' then
    if home == 'calls' then close_open(field, lines, member) end
    return
  end
  call('ZADD', tree .. ':open', lines[3] == 'null' and '+inf' or lines[3], field)
  call('ZADD', area .. ':inbox', lines[6], member)
  if lines[11] ~= 'null' then call('ZADD', area .. ':inbox:' .. lines[11], lines[6], member) end
  schedule(':deadlines', lines[3], member)
  schedule(':reminders', lines[4], member)
end

local function drop_call(field, lines, home)
  local member = root .. ':' .. field
  call('HDEL', tree .. ':' .. home, field)
  if home == 'settled' then
    call('ZREM', area .. ':purges', member)
  else
    close_open(field, lines, member)
  end
end

local function expire(lines)
  lines[1], lines[2], lines[7] = '"answered"', '"expired"', whole(now)
  lines[9], lines[10], lines[13] = '{"kind":"none"}', 'null', 'null'
end

-- A suspended root with answered calls and no open one: a resume would go on.
local function index_answered()
  local row = call('HMGET', session_key(root), 'status', 'error', 'updatedAt')
  if row[1] and string.sub(row[1], 1, 11) == '"suspended_' and not row[2]
    and call('ZCARD', tree .. ':open') == 0 and call('HLEN', tree .. ':calls') > 0 then
    call('ZADD', area .. ':answered', row[3], root)
  else
    call('ZREM', area .. ':answered', root)
  end
end
`;
