import { createScript, type Script } from '../script.ts';
import { MAX_WAITING_MESSAGES, RECEIVING } from '@helix-agents/core/store';
import { inputLine, luaList, referenceLine, sessionFields } from './columns.ts';
import { prelude } from './prelude.ts';
import { splitFunction } from './split.ts';
import { topFunctions } from './tops.ts';

/** Inputs of a session are in `inputs`; `waiting` has those that wait, by their order. Needs the prelude. */
export const inputFunctions: string = `
local function put_input(id, field, lines)
  call('HSET', tree .. ':inputs:' .. id, field, table.concat(lines, '\\n'))
  if lines[${inputLine.state}] == '"waiting"' then
    call('ZADD', tree .. ':waiting:' .. id, lines[${inputLine.seq}], field)
  else
    call('ZREM', tree .. ':waiting:' .. id, field)
  end
  local member = root .. ':' .. id .. ':' .. field
  if lines[${inputLine.purgeAt}] == 'null' then
    call('ZREM', area .. ':input-purges', member)
  else
    call('ZADD', area .. ':input-purges', lines[${inputLine.purgeAt}], member)
  end
end
`;

const start = `${prelude}${splitFunction}${topFunctions}${inputFunctions}
local sending, id, field = ARGV[5], ARGV[6], ARGV[7]
local key = session_key(id)
local row = call('HMGET', key, ${sessionFields('status', 'closed', 'userId', 'records', 'ends')})
if not row[1] then return { 'no_session' } end
local status = row[1]
local known = call('HGET', tree .. ':inputs:' .. id, field)
if known then return { split(known)[${inputLine.sending}] == sending and 'put' or 'known', status, known } end
`;

const finish = `
local records = whole(row[4] + 1)
lines[${inputLine.seq}], lines[${inputLine.createdAt}], lines[${inputLine.sending}] = records, whole(now), sending
put_input(id, field, lines)
call('HSET', key, 'records', records)
if marks then
  call('HSET', key, 'wakeAt', whole(now))
  call('ZADD', area .. ':wakes', whole(now), member_of(id))
end
return { 'put', status, table.concat(lines, '\\n') }
`;

/**
 * ARGV: 5 sending, 6 receiver, 7 field, 8 the row, in which the script fills in what it computes; of a person's message 9 its id and 10
 * the user it must be, or empty. Returns `put` or `known` with the status and the row, or why not, with the status.
 */
export const putInputScript: Script = createScript(`${start}
if row[2] == 'true' then return { 'closed', status } end
if ARGV[9] ~= '' then
  if status ~= '"running"' then return { 'status', status } end
  if ARGV[10] ~= '' and ARGV[10] ~= (row[3] or 'null') then return { 'other_user', status } end
  if call('HEXISTS', tree .. ':message-ids:' .. id, ARGV[9]) == 1 then return { 'in_transcript', status } end
else
  local receives = false
  for _, one in ipairs({ ${luaList(RECEIVING.map((status) => `"${status}"`))} }) do
    receives = receives or status == one
  end
  if not receives then return { 'status', status } end
end
if call('ZCARD', tree .. ':waiting:' .. id) >= ${MAX_WAITING_MESSAGES} then
  local messages = 0
  for _, other in ipairs(call('ZRANGE', tree .. ':waiting:' .. id, 0, -1)) do
    local kind = split(call('HGET', tree .. ':inputs:' .. id, other))[${inputLine.kind}]
    if kind == '"message"' then messages = messages + 1 end
  end
  if messages >= ${MAX_WAITING_MESSAGES} then return { 'full', status } end
end
local lines = split(ARGV[8])
lines[${inputLine.end}] = whole(row[5] + 1)
local marks = status == '"completed"'
${finish}`);

/** ARGV: as above, 9 the companion, 10 the end. */
export const putNoticeScript: Script = createScript(`${start}
local reference = call('HGET', tree .. ':references:' .. id, ARGV[9])
local known_child = reference and split(reference) or {}
if known_child[${referenceLine.state}] ~= '"live"' then return { 'not_live', status } end
if tonumber(known_child[${referenceLine.told}]) >= tonumber(ARGV[10]) then return { 'told', status } end
local lines = split(ARGV[8])
lines[${inputLine.wake}] = known_child[${referenceLine.wake}]
local marks = string.sub(status, 1, 11) == '"suspended_'
  or (status == '"completed"' and lines[${inputLine.wake}] == 'true')
${finish}`);

/** ARGV: 5 session, 6 end. */
export const reportScript: Script = createScript(`${prelude}${splitFunction}${topFunctions}
local key = session_key(ARGV[5])
local reported = call('HGET', key, 'reported')
if not reported or tonumber(reported) >= tonumber(ARGV[6]) then return end
call('HSET', key, 'reported', ARGV[6])
index_top(ARGV[5])
`);

/** ARGV: 5 session. Returns how many were deleted. */
export const purgeInputsScript: Script = createScript(`${prelude}${splitFunction}
local purged, inputs = 0, tree .. ':inputs:' .. ARGV[5]
local rows = call('HGETALL', inputs)
for at = 1, #rows, 2 do
  local lines = split(rows[at + 1])
  if lines[${inputLine.state}] ~= '"waiting"' and lines[${inputLine.purgeAt}] ~= 'null'
    and tonumber(lines[${inputLine.purgeAt}]) <= now then
    call('HDEL', inputs, rows[at])
    call('ZREM', area .. ':input-purges', root .. ':' .. ARGV[5] .. ':' .. rows[at])
    purged = purged + 1
  end
end
return purged
`);
