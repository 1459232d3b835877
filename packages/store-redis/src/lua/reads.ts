import { RUN_NAMES, SESSION_NAMES } from '../rows/columns.ts';
import { createScript, type Script } from '../script.ts';
import { luaList, sessionPlace } from './columns.ts';
import { prelude } from './prelude.ts';

/** Reads all columns of a session. */
export const readRow: string = `
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

/** ARGV: 5 session. Returns the row, its interrupt, journal, calls, references, children and waiting inputs; nil when absent. */
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
local waiting = call('ZRANGE', tree .. ':waiting:' .. id, 0, -1)
for at, field in ipairs(waiting) do waiting[at] = call('HGET', tree .. ':inputs:' .. id, field) end
return { row, interrupt, journal_of(id, step), call('HVALS', tree .. ':calls'), references, children, waiting }
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
