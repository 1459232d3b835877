import { createScript, type Script } from '../script.ts';
import { callLine, sessionPlace } from './columns.ts';
import { prelude } from './prelude.ts';
import { readRow } from './reads.ts';
import { splitFunction } from './split.ts';

/**
 * KEYS[1] is the partition here. ARGV: 5 host kind as JSON, 6 limit, from 7 on tops to leave out, each as in keys and as JSON. Returns
 * overdue, remindable and purgeable tops, each as its root and its id as JSON; rows of dead, answered, wakeable and unreported tops; and
 * closing references.
 */
export const findDueScript: Script = createScript(`${prelude}${splitFunction}${readRow}
local limit = tonumber(ARGV[6])
local left_out, names_left_out = {}, {}
for at = 7, #ARGV, 2 do
  left_out[ARGV[at]], names_left_out[ARGV[at + 1]] = true, true
end

-- Calls take for the members of an index, in order, until it has accepted as many as the limit, less those there are.
local function walk(index, till, take, taken)
  local offset = 0
  taken = taken or 0
  while taken < limit do
    local members = call('ZRANGEBYSCORE', area .. index, '-inf', till, 'LIMIT', offset, 256)
    if #members == 0 then break end
    offset = offset + #members
    for _, member in ipairs(members) do
      local first = string.match(member, '^[^:]*')
      if taken < limit and take(first, member) then taken = taken + 1 end
    end
  end
end

-- Adds the tops of what an index has, each once. name_of gives the id of the top as JSON.
local function add_tops(found, known, index, name_of)
  walk(index, whole(now), function(first, member)
    local name = name_of(first, member)
    if not name or names_left_out[name] or known[first .. ' ' .. name] then return false end
    known[first .. ' ' .. name] = true
    found[#found + 1] = first
    found[#found + 1] = name
    return true
  end, #found / 2)
  return found
end

local function unit_in(home)
  return function(first, member)
    local row = call('HGET', area .. ':' .. first .. ':' .. home, string.sub(member, #first + 2))
    return row and split(row)[${callLine.unitId}]
  end
end

local function receiver_of(first, member)
  local id = string.match(member, '^[^:]*:([^:]*)')
  return call('HGET', area .. ':' .. first .. ':session:' .. id, 'sessionId')
end

-- Adds rows of tops, which are members of the index themselves.
local function add_rows(found, known, index, till, fits)
  walk(index, till, function(first, member)
    local id = string.match(member, '[^:]*$')
    if left_out[id] or known[member] then return false end
    local row = read_row(area .. ':' .. first .. ':session:' .. id)
    if not row[1] or (fits and not fits(row)) then return false end
    known[member] = true
    found[#found + 1] = row
    return true
  end, #found)
  return found
end

local dead, known = {}, {}
add_rows(dead, known, ':leases', whole(now))
add_rows(dead, known, ':unstarted', '+inf', function(row) return row[${sessionPlace.hostKind}] == ARGV[5] end)

local closing = {}
walk(':closing', '+inf', function(first, member)
  if left_out[first] then return false end
  closing[#closing + 1] = member
  closing[#closing + 1] = call('ZSCORE', area .. ':closing', member)
  return true
end)

local purgeable, purged = {}, {}
add_tops(purgeable, purged, ':purges', unit_in('settled'))
add_tops(purgeable, purged, ':input-purges', receiver_of)
return {
  add_tops({}, {}, ':deadlines', unit_in('calls')),
  add_tops({}, {}, ':reminders', unit_in('calls')),
  purgeable,
  dead,
  add_rows({}, {}, ':answered', '+inf'),
  add_rows({}, {}, ':wakes', whole(now)),
  add_rows({}, {}, ':unreported', '+inf'),
  closing
}
`);
