// The suites of the stores, run inside workerd and told here test by test.
import { startWorker } from '@helix-agents/test-servers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Outcome } from './worker/run-suite.ts';

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const worker = await startWorker(file('./worker/worker.ts'), {
  alias: { vitest: file('./worker/vitest.ts'), 'node:timers/promises': file('./worker/wait.ts') },
  compatibilityDate: '2026-10-01',
  durableObjects: { OBJECTS: { className: 'Suites', useSQLite: true } },
});

const suites = { sessions: 280, states: 55, streams: 84, usage: 9 };

for (const [suite, atLeast] of Object.entries(suites)) {
  const reply = await worker.dispatchFetch(`http://worker/${suite}`);
  const outcomes = (await reply.json()) as Outcome[];
  describe('in workerd', () => {
    it(`runs the suite of ${suite}`, () => {
      expect(outcomes.length).toBeGreaterThanOrEqual(atLeast);
    });
    for (const { name, state, error } of outcomes) {
      it(name, ({ skip }) => {
        if (state === 'skip') skip('by a capability of the suite');
        expect({ state, error }).toEqual({ state: 'pass', error: '' });
      });
    }
  });
}
await worker.dispose();
