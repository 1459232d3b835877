import { createScript, type Script } from '../script.ts';
import { callFunctions } from './calls.ts';
import { callLine } from './columns.ts';
import { prelude } from './prelude.ts';
import { splitFunction } from './split.ts';

/**
 * ARGV: 5 sending, 6 field, 7 outcome, 8 answer, 9 by whom, 10 and 11 the kind and approval id it must have, or empty.
 * 12 the id of the submission. Returns whether it was accepted and the row, or nil.
 */
export const answerCallScript: Script = createScript(`${prelude}${splitFunction}${callFunctions}
local row, home = find_call(ARGV[6])
if not row then return nil end
local lines = split(row)
if lines[${callLine.state}] ~= '"open"' then return { lines[${callLine.sending}] == ARGV[5] and 1 or 0, row } end
if ARGV[10] ~= '' and lines[${callLine.kind}] ~= ARGV[10] then return { 0, row } end
if ARGV[11] ~= '' and lines[${callLine.approvalId}] ~= ARGV[11] then return { 0, row } end
local late = lines[${callLine.deadlineAt}] ~= 'null' and tonumber(lines[${callLine.deadlineAt}]) <= now
if late then
  expire(lines)
else
  lines[${callLine.state}], lines[${callLine.outcome}], lines[${callLine.answeredAt}] = '"answered"', ARGV[7], whole(now)
  lines[${callLine.answer}], lines[${callLine.answeredBy}], lines[${callLine.sending}] = ARGV[8], ARGV[9], ARGV[5]
  lines[${callLine.submissionId}] = ARGV[12]
end
put_call(ARGV[6], lines, home)
index_all_answered()
return { late and 0 or 1, table.concat(lines, '\\n') }
`);

/** ARGV: 5 top of the unit. Returns the rows that expired, after the change. */
export const expireCallsScript: Script = createScript(`${prelude}${splitFunction}${callFunctions}
local moved = {}
for _, field in ipairs(call('ZRANGEBYSCORE', tree .. ':open', '-inf', whole(now))) do
  local lines = split(call('HGET', tree .. ':calls', field))
  if lines[${callLine.unitId}] == ARGV[5] then
    expire(lines)
    put_call(field, lines, 'calls')
    moved[#moved + 1] = table.concat(lines, '\\n')
  end
end
if #moved > 0 then index_all_answered() end
return moved
`);

/** ARGV: 5 top of the unit. Returns the rows whose reminder was due, after the change. */
export const takeRemindersScript: Script = createScript(`${prelude}${splitFunction}${callFunctions}
local taken = {}
for _, field in ipairs(call('ZRANGE', tree .. ':open', 0, -1)) do
  local lines = split(call('HGET', tree .. ':calls', field))
  if lines[${callLine.unitId}] == ARGV[5] and lines[${callLine.remindAt}] ~= 'null' and tonumber(lines[${callLine.remindAt}]) <= now then
    lines[${callLine.remindAt}] = 'null'
    put_call(field, lines, 'calls')
    taken[#taken + 1] = table.concat(lines, '\\n')
  end
end
return taken
`);

/** ARGV: 5 top of the unit. Returns how many were deleted. */
export const purgeCallsScript: Script = createScript(`${prelude}${splitFunction}${callFunctions}
local purged = 0
local rows = call('HGETALL', tree .. ':settled')
for at = 1, #rows, 2 do
  local lines = split(rows[at + 1])
  if lines[${callLine.unitId}] == ARGV[5] and lines[${callLine.purgeAt}] ~= 'null' and tonumber(lines[${callLine.purgeAt}]) <= now then
    drop_call(rows[at], lines, 'settled')
    purged = purged + 1
  end
end
return purged
`);
