import { join } from 'node:path';

/** The only thing the three processes share. */
export function databaseIn(folder: string): string {
  return join(folder, 'agents.db');
}
