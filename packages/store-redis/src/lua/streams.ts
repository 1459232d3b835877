import { createScript, type Script } from '../script.ts';

/**
 * What follows the id of a stream in its keys: the log itself, its status and head, the dedupe keys it has seen by
 * number, and the newest sendings. The log's key is also the channel on which readers are told to look.
 */
export const STREAM_KINDS: readonly string[] = [
  'stream',
  'stream-info',
  'stream-dedupe',
  'stream-writes',
];

/** KEYS[1] is the tree of the stream's id; the other keys are made of it and are in the same slot. */
const prelude = `
local call = redis.call
local log, info = KEYS[1] .. ':stream', KEYS[1] .. ':stream-info'
local dedupe, writes = KEYS[1] .. ':stream-dedupe', KEYS[1] .. ':stream-writes'
`;

/** `ttl` is how many milliseconds the log is kept, '0' for ever. Status and head stay: a number is never given twice. */
const statusFunction = `
local function set_status(status, ttl, field, value)
  call('HSET', info, 'status', status)
  if field ~= '' then call('HSET', info, field, value) end
  for _, key in ipairs({ log, dedupe, writes }) do
    if ttl == '0' then call('PERSIST', key) else call('PEXPIRE', key, ttl) end
  end
  call('PUBLISH', log, 'status')
end
`;

/** ARGV: 1 agent id, 2 agent type. Creates the stream, active, if it is not there. */
const create = `
if call('HSETNX', info, 'status', 'active') == 1 then
  call('HSET', info, 'head', 0, 'agentId', ARGV[1], 'agentType', ARGV[2])
end
`;

export const createStreamScript: Script = createScript(`${prelude}${create}`);

/** The same, and makes one that was closed active again. */
export const openStreamScript: Script = createScript(`${prelude}${statusFunction}${create}
if call('HGET', info, 'status') ~= 'active' then set_status('active', '0', '', '') end
`);

/**
 * ARGV: 1 sending, 2 how many chunks to keep (0: all), 3 the head it must have, or nothing, 4 how many chunks, 5 the status
 * it has afterwards, or nothing, with 6 ttl, 7 field and 8 its value; then the chunks and, where there are any, the dedupe
 * key of each, which may be empty. With a head it writes whatever the status, else it creates the stream and writes when it
 * is active. Answers the status, the head, and 1 when this sending is in the log.
 *
 * The entry with number N has the id N-0.
 */
export const appendScript: Script = createScript(`${prelude}${statusFunction}
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
local chunks, keys = 8, #ARGV > 8 + count and 8 + count

local function add(place)
  head = head + 1
  call('XADD', log, string.format('%.0f-0', head), 'chunk', ARGV[chunks + place])
end

-- Some key stood there before, or stands here twice. What was marked just now has a number above the head.
local function add_fresh(first, last)
  local marked = call('ZMSCORE', dedupe, unpack(ARGV, keys + first, keys + last))
  local known, marks, own = head, {}, {}
  for place = first, last do
    local key = ARGV[keys + place]
    if key == '' or (tonumber(marked[place - first + 1]) > known and not own[key]) then
      add(place)
      if key ~= '' then
        own[key] = true
        marks[#marks + 1], marks[#marks + 2] = head, key
      end
    end
  end
  if #marks > 0 then call('ZADD', dedupe, unpack(marks)) end
end

-- A script hands on so many arguments at a time.
for first = 1, count, 1000 do
  local last = math.min(first + 999, count)
  local marks, size = {}, 0
  for place = keys and first or last + 1, last do
    if ARGV[keys + place] ~= '' then
      marks[size + 1], marks[size + 2] = head + place - first + 1, ARGV[keys + place]
      size = size + 2
    end
  end
  if size > 0 and call('ZADD', dedupe, 'NX', unpack(marks)) < size / 2 then
    add_fresh(first, last)
  else
    for place = first, last do add(place) end
  end
end
if head > before or ARGV[5] ~= '' then
  if call('LPUSH', writes, ARGV[1]) > 64 then call('LTRIM', writes, 0, 31) end
end
if head > before then
  call('HSET', info, 'head', string.format('%.0f', head))
  if ARGV[2] ~= '0' and head > tonumber(ARGV[2]) then
    call('XTRIM', log, 'MAXLEN', '~', ARGV[2])
    -- Keys of chunks that are long gone; now and then is enough.
    if math.floor(head / 1000) > math.floor(before / 1000) then
      call('ZREMRANGEBYSCORE', dedupe, '-inf', head - 2 * ARGV[2])
    end
  end
  call('PUBLISH', log, 'chunks')
end
if ARGV[5] ~= '' then set_status(ARGV[5], ARGV[6], ARGV[7], ARGV[8]) end
return { status, head, 1 }
`);

/** ARGV: 1 new status, 2 statuses it may have, between commas, 3 milliseconds the log is kept (0: for ever), 4 field, 5 its value. */
export const setStatusScript: Script = createScript(`${prelude}${statusFunction}
local status = call('HGET', info, 'status')
if not status or not string.find(ARGV[2], ',' .. status .. ',', 1, true) then return end
set_status(ARGV[1], ARGV[3], ARGV[4], ARGV[5])
`);

/** ARGV: 1 first id, 2 how many, or -1, 3 bytes after which there is no further one. Answers status, head and entries on one snapshot; nothing when there is no stream. */
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

/** ARGV: 1 the first id that stays, 2 the last number that goes. */
export const trimStreamScript: Script = createScript(`${prelude}
call('XTRIM', log, 'MINID', ARGV[1])
call('ZREMRANGEBYSCORE', dedupe, '-inf', ARGV[2])
`);

export const deleteStreamScript: Script = createScript(`${prelude}
if call('DEL', info, log, dedupe, writes) > 0 then call('PUBLISH', log, 'deleted') end
`);
