import { PARENT_FIELD } from '../rows/columns.ts';
import { createScript, type Script } from '../script.ts';
import { callLine, sessionFields } from './columns.ts';
import { prelude } from './prelude.ts';
import { splitFunction } from './split.ts';

/**
 * Migrates from format 1: gives every session of the tree its route and its unit, and every call its unit. Returns the sessions. May run
 * any number of times. Ids are concatenated as the JSON that is stored. Of a session whose parent is in another database only the root
 * and the parent are known.
 */
export const addRoutesScript: Script = createScript(`${prelude}${splitFunction}
local ids = call('SMEMBERS', tree .. ':sessions')
local rows, parents = {}, {}
for _, id in ipairs(ids) do
  local row = call('HMGET', session_key(id), ${sessionFields('sessionId', 'rootId')}, '${PARENT_FIELD}')
  if row[1] then
    rows[id] = row
    parents[row[1]] = row[3]
  end
end

for id, row in pairs(rows) do
  local name, root_name = row[1], row[2]
  local route = { name }
  while parents[name] do
    name = parents[name]
    table.insert(route, 1, name)
  end
  if name ~= root_name then table.insert(route, 1, root_name) end
  call('HSET', session_key(id), 'route', '[' .. table.concat(route, ',') .. ']', 'unitId', root_name)
end

for _, home in ipairs({ 'calls', 'settled' }) do
  local calls = call('HGETALL', tree .. ':' .. home)
  for at = 1, #calls, 2 do
    local lines = split(calls[at + 1])
    lines[${callLine.unitId}] = lines[${callLine.rootId}]
    call('HSET', tree .. ':' .. home, calls[at], table.concat(lines, '\\n'))
  end
end
return ids
`);

/**
 * Migrates from format 2: the ids of the user messages of every session of the tree. Of several messages with one id the first has it.
 * Messages that Lua cannot read have no id that counts. May run any number of times.
 */
export const addMessageIdsScript: Script = createScript(`${prelude}
local function encode(id)
  return (string.gsub(id, '[%%:{}%c]', function(unit) return string.format('%%%04x', string.byte(unit)) end))
end

for _, id in ipairs(call('SMEMBERS', tree .. ':sessions')) do
  for number, row in ipairs(call('LRANGE', tree .. ':messages:' .. id, 0, -1)) do
    local text = string.sub(row, string.find(row, '\\n', 1, true) + 1)
    local read, message = pcall(cjson.decode, text)
    if read and message.role == 'user' and type(message.id) == 'string' then
      call('HSETNX', tree .. ':message-ids:' .. id, encode(message.id), number)
    end
  end
end
`);

/** KEYS[1] is the format of a partition, ARGV[1] the new one. It never falls: a newer release may have been first. */
export const raiseFormatScript: Script = createScript(`
local format = tonumber(redis.call('GET', KEYS[1]) or 0)
if format < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], ARGV[1]) end
`);
