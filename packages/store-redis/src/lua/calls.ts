import { callLine } from './columns.ts';
import { topFunctions } from './tops.ts';

/**
 * Rows of human calls and the indexes over them. `lines` is a row that was split into its lines.
 *
 * `calls` holds open and answered calls, `settled` the rest, so that a step never reads settled ones.
 * `open` has the open calls by deadline.
 */
export const callFunctions: string = `${topFunctions}
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
  call('ZREM', area .. ':inbox:' .. lines[${callLine.userId}], member)
  call('ZREM', area .. ':deadlines', member)
  call('ZREM', area .. ':reminders', member)
end

local function put_call(field, lines, home)
  local member = root .. ':' .. field
  local settled = lines[${callLine.state}] == '"settled"'
  local place = settled and 'settled' or 'calls'
  if home and home ~= place then
    call('HDEL', tree .. ':' .. home, field)
    if home == 'settled' then call('ZREM', area .. ':purges', member) end
  end
  call('HSET', tree .. ':' .. place, field, table.concat(lines, '\\n'))
  if settled then schedule(':purges', lines[${callLine.purgeAt}], member) end
  if lines[${callLine.state}] ~= '"open"' then
    if home == 'calls' then close_open(field, lines, member) end
    return
  end
  call('ZADD', tree .. ':open', lines[${callLine.deadlineAt}] == 'null' and '+inf' or lines[${callLine.deadlineAt}], field)
  call('ZADD', area .. ':inbox', lines[${callLine.openedAt}], member)
  if lines[${callLine.userId}] ~= 'null' then call('ZADD', area .. ':inbox:' .. lines[${callLine.userId}], lines[${callLine.openedAt}], member) end
  schedule(':deadlines', lines[${callLine.deadlineAt}], member)
  schedule(':reminders', lines[${callLine.remindAt}], member)
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
  lines[${callLine.state}], lines[${callLine.outcome}], lines[${callLine.answeredAt}] = '"answered"', '"expired"', whole(now)
  lines[${callLine.answer}], lines[${callLine.answeredBy}], lines[${callLine.sending}] = '{"kind":"none"}', 'null', 'null'
end
`;
