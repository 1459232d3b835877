import { SkillSyncError } from '../errors.ts';
import { visible } from '../visible.ts';

const SCP = /^[\w.][\w.-]*@[\w.][\w.-]*:(?!\/)[\w.~][\w.~/+-]*$/;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The ways to a repository, as git names them. `http` is for servers of this machine. */
export type Transport = 'https' | 'ssh' | 'file' | 'http';

/**
 * How git reaches this address. Refused is what git might take for an option or a helper program to start (`--upload-pack=…`,
 * `ext::…`), what is sent in the clear, and a password, which would end up in the lock file.
 */
export function transportOf(url: string): Transport {
  if (SCP.test(url)) return 'ssh';
  const parsed = /^[a-z]+:\/\/[!-~]+$/.test(url) ? URL.parse(url) : null;
  if (parsed === null) {
    throw refused(
      url,
      'write https://host/path, ssh://user@host/path, user@host:path or file:///path',
    );
  }
  const { protocol, hostname, username, password } = parsed;
  if (protocol !== 'file:' && !/^[\w.[]/.test(hostname)) throw refused(url, 'its host is no name');
  if (password !== '' || (username !== '' && protocol !== 'ssh:')) {
    throw refused(
      'it',
      'it has a user or password in it; leave them to the credential helper of git',
    );
  }
  if (parsed.search !== '' || parsed.hash !== '')
    throw refused(url, 'it has a query or a fragment');
  if (protocol === 'https:') return 'https';
  if (protocol === 'ssh:' && !username.startsWith('-')) return 'ssh';
  if (protocol === 'file:' && hostname === '') return 'file';
  if (protocol === 'http:' && LOOPBACK.has(hostname)) return 'http';
  throw refused(url, 'use https, ssh, or file without a host');
}

/** A file that was fetched names another repository: never one of this machine, unless it came from there itself. */
export function transportFrom(origin: string, url: string): Transport {
  const transport = transportOf(url);
  if (transport !== 'https' && transport !== 'ssh' && transport !== transportOf(origin)) {
    throw refused(url, `${visible(origin)} may only name repositories with https or ssh`);
  }
  return transport;
}

function refused(url: string, why: string): SkillSyncError {
  const shown = url === 'it' ? 'An address is refused' : `The address ${visible(url)} is refused`;
  return new SkillSyncError('skills_source_refused', `${shown}: ${why}.`);
}
