import { SkillSyncError } from '../errors.ts';
import { visible } from '../visible.ts';

/** The ways to a repository, as git names them. `http` is for servers of this machine. */
export type Transport = 'https' | 'ssh' | 'file' | 'http';

const SCP = /^[\w.][\w.-]*@[\w.][\w.-]*:(?!\/)[\w.~][\w.~/+-]*$/;
const HOST = /^[\w.[]/;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
const TRANSPORTS = new Map<string, (url: URL) => Transport | null>([
  ['https:', ({ hostname }) => (HOST.test(hostname) ? 'https' : null)],
  [
    'ssh:',
    ({ hostname, username }) => (HOST.test(hostname) && !username.startsWith('-') ? 'ssh' : null),
  ],
  ['file:', ({ hostname }) => (hostname === '' ? 'file' : null)],
  ['http:', ({ hostname }) => (LOOPBACK.has(hostname) ? 'http' : null)],
]);

/**
 * How git reaches this address. Refused is what git might take for an option or a helper program to start (`--upload-pack=…`,
 * `ext::…`), what is sent in the clear, and a password, which would end up in the lock file.
 */
export function transportOf(address: string): Transport {
  if (SCP.test(address)) return 'ssh';
  const url = /^[a-z]+:\/\/[!-~]+$/.test(address) ? URL.parse(address) : null;
  if (url && (url.password !== '' || (url.username !== '' && url.protocol !== 'ssh:'))) {
    throw new SkillSyncError(
      'skills_source_refused',
      `The address of ${url.host} has a user or password in it. Leave them to the credential helper of git.`,
    );
  }
  const transport =
    url && url.search === '' && url.hash === '' && TRANSPORTS.get(url.protocol)?.(url);
  if (transport) return transport;
  throw refused(
    address,
    'write https://host/path, ssh://user@host/path, user@host:path or file:///path',
  );
}

/** A file that was fetched names another repository: never one of this machine, unless it came from there itself. */
export function transportFrom(origin: string, address: string): Transport {
  const transport = transportOf(address);
  if (transport === 'https' || transport === 'ssh' || transport === transportOf(origin))
    return transport;
  throw refused(address, `${visible(origin)} may only name repositories with https or ssh`);
}

function refused(address: string, why: string): SkillSyncError {
  return new SkillSyncError(
    'skills_source_refused',
    `The address ${visible(address)} is refused: ${why}.`,
  );
}
