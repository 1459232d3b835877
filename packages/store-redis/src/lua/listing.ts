/** Lists a session by the time of its last change. After the prelude; `id` and `user` as the keys have them. */
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
