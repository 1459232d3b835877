/**
 * How a commit whose check did not pass ends: unless it was sent twice by the client, and the first one was applied. The key of
 * the session that remembers is `session`, and `sending` the name to look for.
 */
export const refuse = `
  local names = {}
  for place = 0, 15 do names[place + 1] = 'sending:' .. place end
  for _, name in ipairs(call('HMGET', session, unpack(names))) do
    if name == sending then return 1 end
  end
  return 0
`;
