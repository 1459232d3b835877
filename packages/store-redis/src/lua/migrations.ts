import { CALL_NAMES, PARENT_FIELD, REFERENCE_NAMES } from '../rows/columns.ts';
import { createScript, type Script } from '../script.ts';
import { callLine, referenceLine, sessionFields } from './columns.ts';
import { prelude } from './prelude.ts';
import { splitFunction } from './split.ts';

/** What a reference of format 3 lacks, by line. */
const referenceDefaults = `{ [${referenceLine.generation}] = '1', [${referenceLine.started}] = 'false',
  [${referenceLine.told}] = '0', [${referenceLine.asked}] = '0', [${referenceLine.wake}] = 'false' }`;

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

/**
 * Migrates from format 3: a session has no ends yet, its references are those of ephemeral children, and an interrupt is meant for the
 * whole tree. Rows get all their lines, so that each can be replaced. May run any number of times.
 */
export const addUnitsScript: Script = createScript(`${prelude}${splitFunction}
local defaults = ${referenceDefaults}
for _, id in ipairs(call('SMEMBERS', tree .. ':sessions')) do
  local key = session_key(id)
  if call('HEXISTS', key, 'sessionId') == 1 then call('HSETNX', key, 'ends', '0') end
  for _, field in ipairs(call('HKEYS', key)) do
    if string.sub(field, 1, 10) == 'interrupt:' then
      local lines = split(call('HGET', key, field))
      if #lines == 2 then call('HSET', key, field, lines[1] .. '\\n"tree"\\n' .. lines[2]) end
    end
  end
  local rows = call('HGETALL', tree .. ':references:' .. id)
  for at = 1, #rows, 2 do
    local lines = split(rows[at + 1])
    for place = #lines + 1, ${REFERENCE_NAMES.length} do lines[place] = defaults[place] or 'null' end
    call('HSET', tree .. ':references:' .. id, rows[at], table.concat(lines, '\\n'))
  end
end

for _, home in ipairs({ 'calls', 'settled' }) do
  local rows = call('HGETALL', tree .. ':' .. home)
  for at = 1, #rows, 2 do
    local lines = split(rows[at + 1])
    for place = #lines + 1, ${CALL_NAMES.length} do lines[place] = 'null' end
    call('HSET', tree .. ':' .. home, rows[at], table.concat(lines, '\\n'))
  end
end
`);

/** KEYS[1] is the format of a partition, ARGV[1] the new one. It never falls: a newer release may have been first. */
export const raiseFormatScript: Script = createScript(`
local format = tonumber(redis.call('GET', KEYS[1]) or 0)
if format < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], ARGV[1]) end
`);
