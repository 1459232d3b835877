import { beforeAll, describe } from 'vitest';
import { isSwitchedOff } from './errors.ts';
import type { ServerName } from './server-catalogue.ts';
import { sharedServerUrl } from './shared-server.ts';

/** A server that has to be downloaded or built first takes as long as it takes. */
const NO_LIMIT = 0;

/** Suites that need a server: skipped where it is switched off by name, failing where it cannot be had. */
export function describeServer(name: ServerName, suites: () => void): void {
  describe.skipIf(isSwitchedOff(name))(name, () => {
    beforeAll(() => sharedServerUrl(name), NO_LIMIT);
    suites();
  });
}
