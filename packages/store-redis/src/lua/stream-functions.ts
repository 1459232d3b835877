/**
 * Suffixes of the keys of a stream: the log, its status and head, its dedupe keys by number, and the newest sendings. The key of the log
 * is also the channel on which readers are notified.
 */
export const STREAM_KINDS: readonly string[] = [
  'stream',
  'stream-info',
  'stream-dedupe',
  'stream-writes',
];

/** The keys of a stream; their prefix is this Lua expression. */
export function streamKeys(base: string): string {
  return `
local base = ${base}
local log, info = base .. ':stream', base .. ':stream-info'
local dedupe, writes = base .. ':stream-dedupe', base .. ':stream-writes'
`;
}

/** `ttl` is how many milliseconds the log is kept, '0' for ever. Status and head never expire, so that no number is used twice. */
export const statusFunction = `
local function set_status(status, ttl, field, value)
  call('HSET', info, 'status', status)
  if field ~= '' then call('HSET', info, field, value) end
  for _, key in ipairs({ log, dedupe, writes }) do
    if ttl == '0' then call('PERSIST', key) else call('PEXPIRE', key, ttl) end
  end
  call('PUBLISH', log, 'status')
end
`;

/**
 * Appends `count` chunks, which are the arguments after `chunks`, to a log with this head, and returns its new head. Their dedupe keys,
 * each of which may be empty, are the arguments after `keys`, if given: chunks with a known or repeated key are left out. `most` is how
 * many chunks to keep, '0' for all.
 *
 * The entry with number N has the id N-0.
 */
export const appendFunction = `
local function append(head, chunks, count, keys, most)
  local before = head

  local function add(place)
    head = head + 1
    call('XADD', log, string.format('%.0f-0', head), 'chunk', ARGV[chunks + place])
  end

  -- Some key was known. Keys that were added just now have a number above the head.
  local function add_fresh(first, last)
    local marked = call('ZMSCORE', dedupe, unpack(ARGV, keys + first, keys + last))
    local known, marks, own = head, {}, {}
    for place = first, last do
      local key = ARGV[keys + place]
      if key == '' or (tonumber(marked[place - first + 1]) > known and not own[key]) then
        add(place)
        if key ~= '' then
          own[key] = true
          marks[#marks + 1], marks[#marks + 2] = head, key
        end
      end
    end
    if #marks > 0 then call('ZADD', dedupe, unpack(marks)) end
  end

  -- Lua can unpack only a limited number of arguments at once.
  for first = 1, count, 1000 do
    local last = math.min(first + 999, count)
    local marks, size = {}, 0
    for place = keys and first or last + 1, last do
      if ARGV[keys + place] ~= '' then
        marks[size + 1], marks[size + 2] = head + place - first + 1, ARGV[keys + place]
        size = size + 2
      end
    end
    if size > 0 and call('ZADD', dedupe, 'NX', unpack(marks)) < size / 2 then
      add_fresh(first, last)
    else
      for place = first, last do add(place) end
    end
  end
  if head == before then return head end
  call('HSET', info, 'head', string.format('%.0f', head))
  if most ~= '0' and head > tonumber(most) then
    call('XTRIM', log, 'MAXLEN', '~', most)
    -- Removes keys of chunks that were trimmed long ago, every thousand chunks.
    if math.floor(head / 1000) > math.floor(before / 1000) then
      call('ZREMRANGEBYSCORE', dedupe, '-inf', head - 2 * most)
    end
  end
  call('PUBLISH', log, 'chunks')
  return head
end
`;
