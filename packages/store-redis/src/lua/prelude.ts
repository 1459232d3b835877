import { formatCheck } from '../format-version.ts';

/**
 * The start of every script of the session store.
 *
 * KEYS[1] is the tree, ARGV[1] its partition, ARGV[2] the encoded root id, ARGV[3] the caller's time and ARGV[4] which clock is used. All
 * other keys start with that of the tree or of the partition and are in the same slot. `now` is the time on the clock that is used;
 * `time` shifts a time of the caller to that clock.
 */
export const prelude: string = `${formatCheck('ARGV[1]')}
local tree, area, root = KEYS[1], ARGV[1], ARGV[2]
local call = redis.call
local now, shift = tonumber(ARGV[3]), 0

local function whole(number)
  return string.format('%.0f', number)
end

if ARGV[4] == 'server' then
  local clock = call('TIME')
  local server = clock[1] * 1000 + math.floor(clock[2] / 1000)
  shift, now = server - now, server
end

-- Rows that are written together have the same time, so the last one is cached.
local told, moved
local function time(text)
  if shift == 0 or text == 'null' then return text end
  if text ~= told then told, moved = text, whole(text + shift) end
  return moved
end

local function session_key(id)
  return tree .. ':session:' .. id
end
`;
