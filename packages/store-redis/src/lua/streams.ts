import { formatCheck } from '../format-version.ts';
import { createScript, type Script } from '../script.ts';
import { appendFunction, statusFunction, streamKeys } from './stream-functions.ts';

/** Ids have no braces, so the last ones are those of the partition. */
const AREA = `string.match(KEYS[1], '^(.*{[^{}]*})')`;

/** KEYS[1] is the tree of the stream's id; the other keys start with it and are in the same slot. */
const prelude = `${formatCheck(AREA)}
local call = redis.call
${streamKeys('KEYS[1]')}
`;

/** ARGV: 1 agent id, 2 agent type. Creates the stream as active if it is absent. */
const create = `
if call('HSETNX', info, 'status', 'active') == 1 then
  call('HSET', info, 'head', 0, 'agentId', ARGV[1], 'agentType', ARGV[2])
end
`;

export const createStreamScript: Script = createScript(`${prelude}${create}`);

/** The same, and reactivates a closed stream. */
export const openStreamScript: Script = createScript(`${prelude}${statusFunction}${create}
if call('HGET', info, 'status') ~= 'active' then set_status('active', '0', '', '') end
`);

/**
 * ARGV: 1 sending, 2 how many chunks to keep (0: all), 3 the head it must have, or empty, 4 how many chunks, 5 the new status, or empty,
 * with 6 ttl, 7 field and 8 its value; then the chunks and, if there are any, the dedupe key of each, which may be empty. With a head it
 * writes in any status; without, it creates the stream if needed and writes only if it is active. Returns the status, the head, and 1 if
 * this sending was applied.
 */
export const appendScript: Script = createScript(`${prelude}${statusFunction}${appendFunction}
local row = call('HMGET', info, 'status', 'head')
local status, head = row[1], tonumber(row[2] or 0)
if not status then
  if ARGV[3] ~= '' then return { '', 0, 0 } end
  status = 'active'
  call('HSET', info, 'status', status, 'head', 0)
end
if call('LPOS', writes, ARGV[1]) then return { status, head, 1 } end
if ARGV[3] == '' and status ~= 'active' then return { status, head, 0 } end
if ARGV[3] ~= '' and tonumber(ARGV[3]) ~= head then return { status, head, 0 } end

local before, count = head, tonumber(ARGV[4])
head = append(head, 8, count, #ARGV > 8 + count and 8 + count, ARGV[2])
if head > before or ARGV[5] ~= '' then
  if call('LPUSH', writes, ARGV[1]) > 64 then call('LTRIM', writes, 0, 31) end
end
if ARGV[5] ~= '' then set_status(ARGV[5], ARGV[6], ARGV[7], ARGV[8]) end
return { status, head, 1 }
`);

/** ARGV: 1 new status, 2 allowed current statuses, between commas, 3 milliseconds the log is kept (0: for ever), 4 field, 5 its value. */
export const setStatusScript: Script = createScript(`${prelude}${statusFunction}
local status = call('HGET', info, 'status')
if not status or not string.find(ARGV[2], ',' .. status .. ',', 1, true) then return end
set_status(ARGV[1], ARGV[3], ARGV[4], ARGV[5])
`);

/** ARGV: 1 first id, 2 how many, or -1, 3 bytes after which the page ends. Returns status, head and entries on one snapshot; nil when there is no stream. */
export const readPageScript: Script = createScript(`${prelude}
local row = call('HMGET', info, 'status', 'head')
if not row[1] then return nil end
local limit = tonumber(ARGV[2])
local entries = {}
if limit < 0 then
  entries = call('XRANGE', log, ARGV[1], '+')
elseif limit > 0 then
  entries = call('XRANGE', log, ARGV[1], '+', 'COUNT', limit)
end
local flat = {}
local bytes = 0
for _, entry in ipairs(entries) do
  if bytes >= tonumber(ARGV[3]) then break end
  bytes = bytes + #entry[2][2]
  flat[#flat + 1] = entry[1]
  flat[#flat + 1] = entry[2][2]
end
return { row[1], row[2], flat }
`);

export const readInfoScript: Script = createScript(`${prelude}
local row = call('HMGET', info, 'status', 'head')
if not row[1] then return nil end
return { row[1], row[2], call('XLEN', log) }
`);

/** ARGV: 1 the first id that is kept, 2 the last number that is deleted. */
export const trimStreamScript: Script = createScript(`${prelude}
call('XTRIM', log, 'MINID', ARGV[1])
call('ZREMRANGEBYSCORE', dedupe, '-inf', ARGV[2])
`);

export const deleteStreamScript: Script = createScript(`${prelude}
if call('DEL', info, log, dedupe, writes) > 0 then call('PUBLISH', log, 'deleted') end
`);
