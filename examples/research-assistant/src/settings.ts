import { join } from 'node:path';

export const QUESTION = 'How did the Fresnel lens change lighthouses?';
export const SESSION_ID = 'lighthouses';

/** Short, so that nobody waits long for the takeover. The default is 15 seconds. */
export const LEASE_MS = 1_000;

/** How long the demo waits for the next thing it wants to see. Real models take their time. */
export const PATIENCE_MS = { scripted: 120_000, real: 600_000 } as const;

export function databaseIn(folder: string): string {
  return join(folder, 'agents.db');
}
