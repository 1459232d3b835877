import { createScript, type Script } from '../script.ts';
import { prelude } from './prelude.ts';

/** Entries of a session by id: time, place in the order of recording, JSON. */
export const usageFunctions = `
local function add_usage(id, field, created, body)
  local key = tree .. ':usage:' .. id
  local value = created .. '\\n' .. call('HLEN', key) .. '\\n' .. body
  if call('HSETNX', key, field, value) == 1 then call('SADD', tree .. ':sessions', id) end
end
`;

export const recordUsageScript: Script = createScript(`${prelude}${usageFunctions}
add_usage(ARGV[5], ARGV[6], time(ARGV[7]), ARGV[8])
`);

/** Of every session of the tree: its id, its own id and its parent's as JSON, and its entries. */
export const readUsageScript: Script = createScript(`${prelude}
local found = {}
for _, id in ipairs(call('SMEMBERS', tree .. ':sessions')) do
  local row = call('HMGET', session_key(id), 'sessionId', 'parentSessionId')
  found[#found + 1] = { id, row[1], row[2], call('HVALS', tree .. ':usage:' .. id) }
end
return found
`);
