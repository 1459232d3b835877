/** The version of the layout of keys and rows. Raise it for a change that older code would not survive, together with a migration. */
export const FORMAT = 4;

/** What a script answers when the format is newer than it knows. */
export const NEWER_FORMAT = 'HELIX_FORMAT';

/**
 * Ends a script when a newer release has raised the format since this process looked: the partition says which one it is in, so that the
 * check costs no request. `area` is a Lua expression.
 */
export function formatCheck(area: string): string {
  return `
local format = redis.call('GET', ${area} .. ':format')
if format and tonumber(format) > ${FORMAT} then return redis.error_reply('${NEWER_FORMAT} ' .. format) end
`;
}
