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

/** A server that is downloaded or built first takes longer than one request may: it is asked for until it is there. */
async function ask(url: string): Promise<Response> {
  for (;;) {
    try {
      return await fetch(url);
    } catch (error) {
      const { cause } = error as { cause?: { code?: string } };
      if (cause?.code !== 'UND_ERR_HEADERS_TIMEOUT') throw error;
    }
  }
}
