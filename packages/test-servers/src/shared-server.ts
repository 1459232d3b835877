import { inject } from 'vitest';
import { ServerUnavailableError } from './errors.ts';
import type { ServerName } from './server-catalogue.ts';

/** URL of the run's server of this kind; the first to ask starts it. Call it in a test file. */
export async function sharedServerUrl(name: ServerName): Promise<string> {
  const broker = inject('testServersUrl');
  const response = await fetch(`${broker}/${name}`);
  const text = await response.text();
  if (!response.ok) throw new ServerUnavailableError(name, text);
  return text;
}
