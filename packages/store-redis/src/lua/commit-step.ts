import { createScript, type Script } from '../script.ts';
import { refuse } from './refuse.ts';

/**
 * The close of a step that goes on (session/step-close.ts), which is most commits. It writes what the words of lua/commit.ts
 * would, with a third of their arguments.
 *
 * ARGV: 1 session, 2 the caller's time, or nothing: the server's counts, 3 sending, 4 version, epoch, step, records and status
 * it must have, 5 the stop request that must not be there, 6 what the journal rows that go begin with, or nothing, 7 version
 * and 8 JSON of the checkpoint, 9 last commit, 10 step, 11 step count, 12 message count, 13 how many messages, 14 how many words
 * of usage; then the messages, the usage (id, milliseconds before the commit, JSON) and further columns.
 * Answers 1, or 0 when a check did not pass.
 */
export const commitStepScript: Script = createScript(`
local call, tree, id = redis.call, KEYS[1], ARGV[1]
local session, messages = tree .. ':session:' .. id, tree .. ':messages:' .. id
local checkpoints, usage = tree .. ':checkpoints:' .. id, tree .. ':usage:' .. id
local version, used = ARGV[7], 15 + ARGV[13]
local more = used + ARGV[14]

local row = call('HMGET', session, 'version', 'epoch', 'stepId', 'records', 'status', ARGV[5])
local passes = row[1] and not row[6]
  and row[1] .. ' ' .. row[2] .. ' ' .. row[3] .. ' ' .. row[4] .. ' ' .. row[5] == ARGV[4]
  and call('LLEN', messages) == ARGV[12] - ARGV[13]
  and call('ZCOUNT', checkpoints, version, version) == 0
for place = used, more - 1, 3 do
  passes = passes and call('HEXISTS', usage, ARGV[place]) == 0
end
if not passes then
  local sending = ARGV[3]
  ${refuse}
end

local time = ARGV[2]
if time == '' then
  local clock = call('TIME')
  time = string.format('%.0f', clock[1] * 1000 + math.floor(clock[2] / 1000))
end
local stamp = time .. '\\n'
for place = 15, used - 1 do ARGV[place] = stamp .. ARGV[place] end
call('RPUSH', messages, unpack(ARGV, 15, used - 1))
call('ZADD', checkpoints, version, stamp .. ARGV[8])
for place = used, more - 1, 3 do
  local at = ARGV[place + 1] == '0' and time or string.format('%.0f', time - ARGV[place + 1])
  -- In the order of the plan, after those of earlier commits.
  local order = string.format('%.0f', row[1] * 1000 + place)
  call('HSET', usage, ARGV[place], at .. '\\n' .. order .. '\\n' .. ARGV[place + 2])
end
if ARGV[6] ~= '' then
  local journal, size = tree .. ':journal:' .. id, #ARGV[6]
  for _, field in ipairs(call('HKEYS', journal)) do
    if string.sub(field, 1, size) == ARGV[6] then call('HDEL', journal, field) end
  end
end
call('HSET', session, 'sending:' .. (row[1] + row[4]) % 16, ARGV[3], 'version', version, 'lastCommit', ARGV[9],
  'stepId', ARGV[10], 'stepCount', ARGV[11], 'messageCount', ARGV[12], unpack(ARGV, more))
return 1
`);
