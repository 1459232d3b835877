import { callLine, sessionFields } from './columns.ts';
import { TOP_FIELD } from '../rows/columns.ts';

/**
 * Indexes of tops: roots and companions. Their members are the root, or the root and the companion. `tops` has the companions of a tree;
 * most trees have none. Needs the prelude and `split`.
 */
export const topFunctions: string = `
local function member_of(id)
  return id == root and root or root .. ':' .. id
end

local function is_top(id)
  return id == root or call('HEXISTS', session_key(id), '${TOP_FIELD}') == 1
end

local function score(index, at, member)
  if at then
    call('ZADD', area .. index, at, member)
  else
    call('ZREM', area .. index, member)
  end
end

-- Running tops by lease, those that did not start, wake marks that count, and ends that are not reported.
local function index_top(id)
  local row = call('HMGET', session_key(id),
    ${sessionFields('status', 'leaseUntil', 'started', 'updatedAt', 'wakeAt', 'closed', 'ends', 'reported')})
  local member, running = member_of(id), row[1] == '"running"'
  score(':leases', running and row[2], member)
  score(':unstarted', running and row[3] == 'false' and row[4], member)
  local waits = row[1] and (string.sub(row[1], 1, 11) == '"suspended_' or (row[1] == '"completed"' and row[6] == 'false'))
  score(':wakes', waits and row[5], member)
  if id ~= root then
    score(':unreported', row[8] and tonumber(row[8]) < tonumber(row[7]) and row[4], member)
  end
end

-- Whether the unit has answered calls and no open one. Where the root is the only top, all calls are its own.
local function has_only_answers(id)
  if id == root and call('EXISTS', tree .. ':tops') == 0 then
    return call('ZCARD', tree .. ':open') == 0 and call('HLEN', tree .. ':calls') > 0
  end
  local name, answered = call('HGET', session_key(id), 'sessionId'), false
  for _, row in ipairs(call('HVALS', tree .. ':calls')) do
    local lines = split(row)
    if lines[${callLine.unitId}] == name then
      if lines[${callLine.state}] == '"open"' then return false end
      answered = true
    end
  end
  return answered
end

-- A suspended top with answered calls and no open one: it can be resumed.
local function index_answered(id)
  local row = call('HMGET', session_key(id), ${sessionFields('status', 'error', 'updatedAt')})
  local answered = row[1] and string.sub(row[1], 1, 11) == '"suspended_' and not row[2] and has_only_answers(id)
  score(':answered', answered and row[3], member_of(id))
end

local function index_all_answered()
  index_answered(root)
  for _, id in ipairs(call('SMEMBERS', tree .. ':tops')) do index_answered(id) end
end
`;
