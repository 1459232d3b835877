/** Adds a session to the listings by `updatedAt`. Needs the prelude; `id` and `user` are encoded as in keys. */
export const listFunction = `
local function list(id, user, updated)
  local score = '-' .. updated
  if id ~= root then
    call('ZADD', area .. ':children', score, id .. ':' .. root)
    return
  end
  call('ZADD', area .. ':roots', score, id)
  if user then call('ZADD', area .. ':roots:' .. user, score, id) end
end
`;
