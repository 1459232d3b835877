const MAX_PATH_LENGTH = 1_024;

/**
 * The path of a file inside of a skill, in its one form; null for anything that is, or may be read as, a way out of it:
 * absolute, `..`, a backslash, an escape such as `%2e`, a drive letter, a control character.
 */
export function skillResourcePath(path: unknown): string | null {
  if (typeof path !== 'string' || path === '' || path.length > MAX_PATH_LENGTH) return null;
  if (/[\\\p{Cc}\p{Cs}]|%2e|%2f|%5c|^[a-z]:/iu.test(path) || path.startsWith('/')) return null;
  const parts = path.split('/').filter((part) => part !== '.' && part !== '');
  if (parts.length === 0 || parts.includes('..')) return null;
  return parts.join('/');
}
