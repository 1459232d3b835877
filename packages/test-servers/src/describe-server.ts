import { describe } from 'vitest';
import { isSwitchedOff } from './errors.ts';
import type { ServerName } from './server-catalogue.ts';

/** Suites that need a server: skipped where it is switched off by name, failing where it cannot be had. */
export function describeServer(name: ServerName, suites: () => void): void {
  describe.skipIf(isSwitchedOff(name))(name, suites);
}
