import { createScript, type Script } from '../script.ts';
import { sessionFields } from './columns.ts';
import { prelude } from './prelude.ts';
import { PARENT_FIELD } from '../rows/columns.ts';

/** Entries of a session by id: time, position among those of the same time, JSON. */
export const recordUsageScript: Script = createScript(`${prelude}
local key = tree .. ':usage:' .. ARGV[5]
local value = time(ARGV[7]) .. '\\n' .. call('HLEN', key) .. '\\n' .. ARGV[8]
if call('HSETNX', key, ARGV[6], value) == 1 then call('SADD', tree .. ':sessions', ARGV[5]) end
`);

/** For every session of the tree: its encoded id, its id and its parent's as JSON, and its entries. */
export const readUsageScript: Script = createScript(`${prelude}
local found = {}
for _, id in ipairs(call('SMEMBERS', tree .. ':sessions')) do
  local row = call('HMGET', session_key(id), ${sessionFields('sessionId')}, '${PARENT_FIELD}')
  found[#found + 1] = { id, row[1], row[2], call('HVALS', tree .. ':usage:' .. id) }
end
return found
`);
