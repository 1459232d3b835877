import { RUN_NAMES, SESSION_NAMES } from '../rows/columns.ts';
import { createScript, type Script } from '../script.ts';
import { luaList, sessionPlace } from './columns.ts';
import { prelude } from './prelude.ts';

const readRow = `
local function read_row(key)
  return call('HMGET', key, ${luaList(SESSION_NAMES)})
end
`;

/** Fields and values of one step alternate. */
const journalOf = `
local function journal_of(id, step)
  local found, prefix = {}, step .. ':'
  local rows = call('HGETALL', tree .. ':journal:' .. id)
  for at = 1, #rows, 2 do
    if string.sub(rows[at], 1, #prefix) == prefix then
      found[#found + 1] = rows[at]
      found[#found + 1] = rows[at + 1]
    end
  end
  return found
end
`;

/** ARGV: 5 session, 6 step. */
export const readJournalScript: Script = createScript(`${prelude}${journalOf}
return journal_of(ARGV[5], ARGV[6])
`);

/** ARGV: 5 session. Returns the row, its interrupt, journal, calls, references and children; nil when absent. */
export const readStepScript: Script = createScript(`${prelude}${readRow}${journalOf}
local id = ARGV[5]
local row = read_row(session_key(id))
if not row[1] then return nil end
local step = row[${sessionPlace.stepId}]

local references, children = {}, {}
local subs = call('ZRANGEBYSCORE', tree .. ':reference-steps:' .. id, step, '+inf')
for at, sub in ipairs(subs) do
  references[at] = call('HGET', tree .. ':references:' .. id, sub)
  local child = read_row(session_key(sub))
  if child[1] then children[#children + 1] = child end
end
local interrupt = call('HGET', session_key(id), 'interrupt:' .. row[${sessionPlace.runId}])
return { row, interrupt, journal_of(id, step), call('HVALS', tree .. ':calls'), references, children }
`);

/** ARGV: 5 session, 6 id of a user message. Returns its number and the message, or nil. */
export const readMessageScript: Script = createScript(`${prelude}
local sequence = call('HGET', tree .. ':message-ids:' .. ARGV[5], ARGV[6])
if not sequence then return nil end
return { sequence, call('LINDEX', tree .. ':messages:' .. ARGV[5], sequence - 1) }
`);

export const readCallsScript: Script = createScript(`${prelude}
return { call('HVALS', tree .. ':calls'), call('HVALS', tree .. ':settled') }
`);

/** ARGV: 5 field. */
export const readCallScript: Script = createScript(`${prelude}
return call('HGET', tree .. ':calls', ARGV[5]) or call('HGET', tree .. ':settled', ARGV[5])
`);

/** ARGV: 5 session, 6 how many of the newest or -1. Ascending. */
export const readRunsScript: Script = createScript(`${prelude}
local key, last = tree .. ':turns:' .. ARGV[5], tonumber(ARGV[6])
local from = last < 0 and 0 or -last
if last == 0 then return {} end
local found = call('ZRANGE', key, from, -1)
for at, run in ipairs(found) do
  found[at] = call('HMGET', tree .. ':run:' .. run, ${luaList(RUN_NAMES)})
end
return found
`);

/**
 * KEYS[1] is the partition here. ARGV: 5 host kind as JSON, 6 limit, from 7 on roots to leave out. Returns overdue, remindable and
 * purgeable roots, rows of dead and of answered roots, and closing references.
 */
export const findDueScript: Script = createScript(`${prelude}${readRow}
local limit = tonumber(ARGV[6])
local left_out = {}
for at = 7, #ARGV do left_out[ARGV[at]] = true end

-- Calls take for the members of roots that are not left out, in order, until it has accepted as many as the limit.
local function walk(index, till, take)
  local offset, taken = 0, 0
  while taken < limit do
    local members = call('ZRANGEBYSCORE', area .. index, '-inf', till, 'LIMIT', offset, 256)
    if #members == 0 then break end
    offset = offset + #members
    for _, member in ipairs(members) do
      local id = string.match(member, '^[^:]*')
      if taken < limit and not left_out[id] and take(id, member) then taken = taken + 1 end
    end
  end
end

local function roots_of(index)
  local found, known = {}, {}
  walk(index, whole(now), function(id)
    if known[id] then return false end
    known[id] = true
    found[#found + 1] = id
    return true
  end)
  return found
end

local function row_of(id)
  return read_row(area .. ':' .. id .. ':session:' .. id)
end

local dead, known = {}, {}
walk(':leases', whole(now), function(id)
  known[id] = true
  dead[#dead + 1] = row_of(id)
  return true
end)
walk(':unstarted', '+inf', function(id)
  if #dead >= limit or known[id] then return false end
  local row = row_of(id)
  if row[${sessionPlace.hostKind}] ~= ARGV[5] then return false end
  dead[#dead + 1] = row
  return true
end)

local answered = {}
walk(':answered', '+inf', function(id)
  answered[#answered + 1] = row_of(id)
  return true
end)

local closing = {}
walk(':closing', '+inf', function(_, member)
  closing[#closing + 1] = member
  closing[#closing + 1] = call('ZSCORE', area .. ':closing', member)
  return true
end)
return { roots_of(':deadlines'), roots_of(':reminders'), roots_of(':purges'), dead, answered, closing }
`);
