import { createScript, type Script } from '../script.ts';
import { sessionFields } from './columns.ts';
import { prelude } from './prelude.ts';
import { seldomWords } from './commit-seldom.ts';

/**
 * Applies a commit plan. ARGV[5] is the sending (the id of the request), ARGV[6] the session that stores it; then come the checks, an
 * empty word, and the writes (session/render-plan.ts). Nothing is written before every check has passed. Returns 1, or 0 when a check
 * failed.
 *
 * Words are about the session `id`, at first that of ARGV[6]; the word `of` changes it.
 *
 * This runs with every step, so the words of a plain step are inlined here. All others are in commit-seldom.ts.
 */
const text = `${prelude}
local sending, keeper, at, seen = ARGV[5], ARGV[6], 7, {}
local id = keeper
local tops_moved, calls_moved = {}, false
local word = ARGV[at]
${seldomWords}
while word ~= '' do
  local passes
  if word == 'session' then
    local version, epoch, step, records = ARGV[at + 1], ARGV[at + 2], ARGV[at + 3], ARGV[at + 4]
    local statuses, lease = ARGV[at + 5], ARGV[at + 6]
    -- The last field is the interrupt that must be absent.
    local row = call('HMGET', session_key(id),
      ${sessionFields('version', 'epoch', 'stepId', 'records', 'status', 'leaseUntil')}, ARGV[at + 7])
    seen[id] = row
    passes = row[1] and (version == '' or version == row[1]) and (epoch == '' or epoch == row[2])
      and (step == '' or step == row[3]) and (records == '' or records == row[4])
      and (statuses == '' or string.find(statuses, row[5], 1, true))
      and (lease == '' or not row[6] or tonumber(row[6]) <= now) and not row[7]
    at = at + 8
  elseif word == 'length' then
    passes = call('LLEN', tree .. ':messages:' .. id) == tonumber(ARGV[at + 1])
    at = at + 2
  elseif word == 'score' then
    local score = ARGV[at + 1]
    passes = call('ZCOUNT', tree .. ':checkpoints:' .. id, score, score) == 0
    at = at + 2
  elseif word == 'field' then
    passes = call('HEXISTS', tree .. ARGV[at + 1] .. id, ARGV[at + 2]) == 0
    at = at + 3
  else
    at = at + 1
    passes = seldom(word)
  end
  if not passes then return seldom('refuse') end
  word = ARGV[at]
end

at = at + 1
word = ARGV[at]
while word do
  if word == 'messages' then
    local created, first, last = time(ARGV[at + 1]) .. '\\n', at + 3, at + 2 + ARGV[at + 2]
    for place = first, last do ARGV[place] = created .. ARGV[place] end
    call('RPUSH', tree .. ':messages:' .. id, unpack(ARGV, first, last))
    at = last + 1
  elseif word == 'checkpoint' then
    call('ZADD', tree .. ':checkpoints:' .. id, ARGV[at + 1], time(ARGV[at + 2]) .. '\\n' .. ARGV[at + 3])
    at = at + 4
  elseif word == 'usage' then
    -- Ordered as in the plan, after the entries of earlier commits.
    local place = (seen[id] and seen[id][1] or 0) * 1000 + at
    call('HSET', tree .. ':usage:' .. id, ARGV[at + 1],
      time(ARGV[at + 2]) .. '\\n' .. whole(place) .. '\\n' .. ARGV[at + 3])
    if not seen[id] then call('SADD', tree .. ':sessions', id) end
    at = at + 4
  elseif word == 'journal' then
    call('HSET', tree .. ':journal:' .. id, ARGV[at + 1], time(ARGV[at + 2]) .. '\\n' .. ARGV[at + 3])
    at = at + 4
  elseif word == 'session' then
    local change, first, last = ARGV[at + 1], at + 3, at + 2 + ARGV[at + 2]
    local row, key, place = seen[id], session_key(id), first
    -- Values that only the script knows.
    while place < last and ARGV[place + 1] == '' do
      local name = ARGV[place]
      if name == 'version' then
        ARGV[place + 1] = whole(row[1] + 1)
      elseif name == 'records' then
        ARGV[place + 1] = whole(row[4] + 1)
      else
        ARGV[place], ARGV[place + 1] = 'sending:' .. (row[1] + row[4]) % 16, sending
      end
      place = place + 2
    end
    at = last + 1
    if change ~= '' then
      seldom('set_session', key, first, last, change)
    elseif last > first then
      call('HSET', key, unpack(ARGV, first, last))
    end
    local nulls = at + ARGV[at]
    if nulls > at then call('HDEL', key, unpack(ARGV, at + 1, nulls)) end
    at = nulls + 1
  else
    at = at + 1
    seldom(word)
  end
  word = ARGV[at]
end
if calls_moved or next(tops_moved) then seldom('index_tops') end
return 1
`;

export const commitScript: Script = createScript(text);
