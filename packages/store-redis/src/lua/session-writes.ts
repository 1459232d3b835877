import { createScript, type Script } from '../script.ts';
import { callFunctions } from './calls.ts';
import { callLine, luaList, sessionFields } from './columns.ts';
import { listFunction } from './listing.ts';
import { prelude } from './prelude.ts';
import { splitFunction } from './split.ts';
import { STREAM_KINDS } from './stream-functions.ts';
import { PARENT_FIELD } from '../rows/columns.ts';

/** ARGV: 5 session, 6 reason, 7 the run it is meant for, or empty, 8 scope. Returns the run and the stored interrupt, or nil when the session is not running. */
export const requestInterruptScript: Script = createScript(`${prelude}
local key = session_key(ARGV[5])
local row = call('HMGET', key, ${sessionFields('status', 'runId')})
if row[1] ~= '"running"' or (ARGV[7] ~= '' and row[2] ~= ARGV[7]) then return nil end
local field = 'interrupt:' .. row[2]
call('HSETNX', key, field, whole(now) .. '\\n' .. ARGV[8] .. '\\n' .. ARGV[6])
return { row[2], call('HGET', key, field) }
`);

/** ARGV: 5 session, 6 epoch, 7 owner, 8 milliseconds or empty. Returns owned and interrupted. */
export const renewLeaseScript: Script = createScript(`${prelude}${listFunction}
local key = session_key(ARGV[5])
local row = call('HMGET', key, ${sessionFields('status', 'epoch', 'leaseOwner', 'runId', 'userId')})
if not row[1] then return { 0, 0 } end
local owned = row[1] == '"running"' and row[2] == ARGV[6]
if owned and ARGV[8] ~= '' and row[3] == ARGV[7] then
  local till = whole(now + ARGV[8])
  call('HSET', key, 'leaseUntil', till, 'updatedAt', whole(now))
  list(ARGV[5], row[5], whole(now))
  call('ZADD', area .. ':leases', 'XX', till, ARGV[5] == root and root or root .. ':' .. ARGV[5])
end
return { owned and 1 or 0, call('HEXISTS', key, 'interrupt:' .. row[4]) }
`);

/**
 * ARGV: 5 session, 6 the version it must have, or empty, 7 sending. Deletes the session and its descendants; for a root the whole tree
 * with its stream. Returns the ids, as JSON, of streams that are no longer used, the deleted sessions, and 1 if the session existed; nil
 * if it has another version.
 *
 * Those streams, and the keys that name the root of each session, are in other slots. The reply is stored at `:deleted:` until the caller
 * has deleted them too: a repeated request gets it again, and after the death of a process the next deletion continues from it.
 */
export const deleteSessionScript: Script = createScript(`${prelude}${splitFunction}${callFunctions}
local version = call('HGET', session_key(ARGV[5]), 'version')
local note = tree .. ':deleted:' .. ARGV[5]
local before = call('HMGET', note, 'sending', 'answer')
if before[1] and (before[1] == ARGV[7] or not version) then
  local streams, ids, existed = unpack(cmsgpack.unpack(before[2]))
  return { streams, ids, before[1] == ARGV[7] and existed or 0 }
end
if ARGV[6] ~= '' and version ~= ARGV[6] then return nil end
local whole_tree = ARGV[5] == root
local members = call('SMEMBERS', tree .. ':sessions')
local names, parents = {}, {}
for _, id in ipairs(members) do
  local row = call('HMGET', session_key(id), ${sessionFields('sessionId')}, '${PARENT_FIELD}')
  names[id], parents[id] = row[1], row[2]
end

local gone, gone_names, more = { [ARGV[5]] = true }, {}, true
if names[ARGV[5]] then gone_names[names[ARGV[5]]] = true end
while more do
  more = false
  for _, id in ipairs(members) do
    local below = whole_tree or (parents[id] and gone_names[parents[id]])
    if below and not gone[id] then
      gone[id], more = true, true
      if names[id] then gone_names[names[id]] = true end
    end
  end
end

local streams, kept = {}, {}
for _, id in ipairs(members) do
  local stream = call('HGET', session_key(id), 'streamId')
  if stream then (gone[id] and streams or kept)[stream] = true end
end

for _, home in ipairs({ 'calls', 'settled' }) do
  local rows = call('HGETALL', tree .. ':' .. home)
  for at = 1, #rows, 2 do
    local lines = split(rows[at + 1])
    if whole_tree or gone_names[lines[${callLine.ownerSessionId}]] then drop_call(rows[at], lines, home) end
  end
end

for _, id in ipairs(members) do
  if gone[id] then
    local user = call('HGET', session_key(id), 'userId')
    if id == root then
      call('ZREM', area .. ':roots', id)
      if user then call('ZREM', area .. ':roots:' .. user, id) end
    else
      call('ZREM', area .. ':children', id .. ':' .. root)
    end
    for _, index in ipairs({ ':leases', ':unstarted', ':answered', ':wakes', ':unreported' }) do
      call('ZREM', area .. index, member_of(id))
    end
    for _, field in ipairs(call('HKEYS', tree .. ':inputs:' .. id)) do
      call('ZREM', area .. ':input-purges', root .. ':' .. id .. ':' .. field)
    end
    for _, sub in ipairs(call('HKEYS', tree .. ':references:' .. id)) do
      call('ZREM', area .. ':closing', root .. ':' .. id .. ':' .. sub)
    end
    for _, run in ipairs(call('ZRANGE', tree .. ':turns:' .. id, 0, -1)) do
      call('DEL', tree .. ':run:' .. run)
    end
    for _, kind in ipairs({ 'session', 'messages', 'message-ids', 'journal', 'references', 'reference-steps',
      'checkpoints', 'turns', 'usage', 'inputs', 'waiting' }) do
      call('DEL', tree .. ':' .. kind .. ':' .. id)
    end
    call('SREM', tree .. ':sessions', id)
    call('SREM', tree .. ':tops', id)
  end
end

if whole_tree then
  for _, kind in ipairs({ 'calls', 'settled', 'open', 'sessions', 'tops',
    ${luaList(STREAM_KINDS)} }) do
    call('DEL', tree .. ':' .. kind)
  end
  call('PUBLISH', tree .. ':stream', 'deleted')
else
  index_all_answered()
end

local unused = {}
for stream in pairs(streams) do
  if not kept[stream] then unused[#unused + 1] = stream end
end
local ids = {}
for id in pairs(gone) do ids[#ids + 1] = id end
local answer = { unused, ids, version and 1 or 0 }
call('HSET', note, 'sending', ARGV[7], 'answer', cmsgpack.pack(answer))
return answer
`);
