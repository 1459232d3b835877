import { inject } from 'vitest';
import { ServerUnavailableError } from './errors.ts';
import type {} from './provided.ts';
import type { ServerName } from './server-catalogue.ts';

/** URL of the run's server of this kind; the first to ask starts it. Call it in a test file. */
export async function sharedServerUrl(name: ServerName): Promise<string> {
  const broker = inject('testServersUrl');
  const response = await ask(`${broker}/${name}`);
  const text = await response.text();
  if (!response.ok) throw new ServerUnavailableError(name, text);
  return text;
}

/** A server that is built first takes longer than one request may. */
async function ask(url: string): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await fetch(url);
    } catch (error) {
      const { cause } = error as { cause?: { code?: string } };
      if (cause?.code !== 'UND_ERR_HEADERS_TIMEOUT' || attempt >= 4) throw error;
    }
  }
}
