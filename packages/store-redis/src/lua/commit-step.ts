import { createScript, type Script } from '../script.ts';
import { refuse } from './refuse.ts';

/**
 * The commits of a step that asks nobody, which are most commits (session/step-close.ts, session/step-record.ts). They write
 * what the words of lua/commit.ts would, with a third of their arguments.
 *
 * KEYS[1] is the tree. ARGV: 1 session, 2 the caller's time, or nothing: the server's counts, 3 sending, 4 what its row must say.
 * A row of usage, or of the journal, is its key, the milliseconds it is older than the commit, and its JSON.
 * Answers 1, or 0 when a check did not pass.
 */
const prelude = `
local call, tree, id, time = redis.call, KEYS[1], ARGV[1], ARGV[2]
local session, usage, journal = tree .. ':session:' .. id, tree .. ':usage:' .. id, tree .. ':journal:' .. id

local function usage_absent(first, last)
  for place = first, last, 3 do
    if call('HEXISTS', usage, ARGV[place]) == 1 then return false end
  end
  return true
end
`;

const refuseUnlessPasses = `
if not passes then
  local sending = ARGV[3]
  ${refuse}
end
if time == '' then
  local clock = call('TIME')
  time = string.format('%.0f', clock[1] * 1000 + math.floor(clock[2] / 1000))
end

local function before(age)
  return age == '0' and time or string.format('%.0f', time - age)
end

-- In the order of the plan, after those of earlier commits.
local function write_usage(first, last, version)
  for place = first, last, 3 do
    local order = string.format('%.0f', version * 1000 + place)
    call('HSET', usage, ARGV[place], before(ARGV[place + 1]) .. '\\n' .. order .. '\\n' .. ARGV[place + 2])
  end
end
`;

/**
 * Closes a step and goes on. ARGV: 4 version, epoch, step, records and status, 5 the stop request that must not be there,
 * 6 what the journal rows that go begin with, or nothing, 7 version and 8 JSON of the checkpoint, 9 last commit, 10 step,
 * 11 step count, 12 message count, 13 how many messages, 14 how many words of usage; then the messages, the usage and further
 * columns.
 */
export const closeStepScript: Script = createScript(`${prelude}
local messages, checkpoints = tree .. ':messages:' .. id, tree .. ':checkpoints:' .. id
local version, used = ARGV[7], 15 + ARGV[13]
local more = used + ARGV[14]
local row = call('HMGET', session, 'version', 'epoch', 'stepId', 'records', 'status', ARGV[5])
local passes = row[1] and not row[6]
  and row[1] .. ' ' .. row[2] .. ' ' .. row[3] .. ' ' .. row[4] .. ' ' .. row[5] == ARGV[4]
  and call('LLEN', messages) == ARGV[12] - ARGV[13]
  and call('ZCOUNT', checkpoints, version, version) == 0
  and usage_absent(used, more - 1)
${refuseUnlessPasses}
local stamp = time .. '\\n'
for place = 15, used - 1 do ARGV[place] = stamp .. ARGV[place] end
call('RPUSH', messages, unpack(ARGV, 15, used - 1))
call('ZADD', checkpoints, version, stamp .. ARGV[8])
write_usage(used, more - 1, row[1])
if ARGV[6] ~= '' then
  for _, field in ipairs(call('HKEYS', journal)) do
    if string.sub(field, 1, #ARGV[6]) == ARGV[6] then call('HDEL', journal, field) end
  end
end
call('HSET', session, 'sending:' .. (row[1] + row[4]) % 16, ARGV[3], 'version', version, 'lastCommit', ARGV[9],
  'stepId', ARGV[10], 'stepCount', ARGV[11], 'messageCount', ARGV[12], unpack(ARGV, more))
return 1
`);

/** Records one row of the journal. ARGV: 4 epoch, step and status, 5 to 7 the row, then the usage. */
export const recordScript: Script = createScript(`${prelude}
local row = call('HMGET', session, 'epoch', 'stepId', 'status', 'version', 'records')
local passes = row[1] and row[1] .. ' ' .. row[2] .. ' ' .. row[3] == ARGV[4]
  and call('HEXISTS', journal, ARGV[5]) == 0
  and usage_absent(8, #ARGV)
${refuseUnlessPasses}
call('HSET', journal, ARGV[5], before(ARGV[6]) .. '\\n' .. ARGV[7])
write_usage(8, #ARGV, row[4])
call('HSET', session, 'sending:' .. (row[4] + row[5]) % 16, ARGV[3], 'records', string.format('%.0f', row[5] + 1))
return 1
`);
