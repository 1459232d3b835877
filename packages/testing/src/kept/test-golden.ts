// If this fails: a release cannot go on with sessions that an earlier one left waiting for a person (MIGR-02).
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { systemClock, type Clock } from '@helix-agents/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { finishSession, GREETING, openOffice, SESSION, suspendSession } from './office.ts';
import type { KeptStores, StartKept } from './office.ts';

export interface TestGoldenOptions {
  readonly name: string;
  /** Where today's fixture is kept; its name says the format. All files beside it are restored and resumed. */
  readonly fixture: string;
  /** Empty stores. */
  create(): Promise<KeptStores>;
  /** Everything that is stored, as text. */
  dump(stores: KeptStores): Promise<string>;
  /** Stores over what a dump says, brought up to date as a deploy would. */
  restore(dump: string): Promise<KeptStores>;
  readonly start: StartKept;
}

const MAKE = 'HELIX_MAKE_GOLDEN';

/** Every deadline of a fixture has passed, whenever it is resumed. */
const LONG_AGO: Clock = { ...systemClock, now: () => Date.UTC(2025, 0, 1) };

/**
 * Sessions that were suspended by earlier code are resumed by today's. Each format a store ever wrote is kept as a
 * fixture. With HELIX_MAKE_GOLDEN=1 in the environment today's is made if it is missing; one that is there is never
 * written again.
 */
export function testGolden(options: TestGoldenOptions): void {
  const { fixture, start } = options;
  const folder = dirname(fixture);
  const opened = (stores: KeptStores): KeptStores => {
    onTestFinished(() => stores.close());
    return stores;
  };

  describe(`golden fixtures: ${options.name}`, () => {
    it('are there for what is stored today', async () => {
      if (!existsSync(fixture) && process.env[MAKE] === '1') {
        const stores = opened(await options.create());
        await suspendSession(stores, start, LONG_AGO);
        mkdirSync(folder, { recursive: true });
        writeFileSync(fixture, await options.dump(stores));
      }
      const advice = `make it with ${MAKE}=1 npx vitest run <this file>, and commit it`;
      expect(existsSync(fixture), `${basename(fixture)} is missing: ${advice}`).toBe(true);
    });

    for (const file of existsSync(folder) ? readdirSync(folder).toSorted() : []) {
      it(`are resumed: ${file}`, async () => {
        const dump = readFileSync(`${folder}/${file}`, 'utf8');
        const stores = opened(await options.restore(dump));
        const office = openOffice(stores, start);
        const before = await stores.streamManager.getStreamInfo(SESSION);
        expect(await office.executor.submitToolResult(GREETING)).toEqual(ALREADY);

        expect(await finishSession(office)).toEqual({ status: 'completed', output: 'done' });
        expect(office.ran, 'what had finished is not done again').toEqual(['send ann']);
        expect(await transcript(stores)).toEqual(TRANSCRIPT);
        const chunks = await stores.streamManager.readChunks(SESSION);
        expect(chunks.map((chunk) => chunk.sequence)).toEqual(chunks.map((_, index) => index + 1));
        expect(chunks[before?.head ?? 0]?.chunk.type).toBe('run_resumed');

        const again = await office.executor.execute(office.clerk, 'More.', { sessionId: SESSION });
        expect(await again.result()).toEqual({ status: 'completed', output: 'and again' });
        const { toolStats } = await stores.usageStore.getRollup(SESSION);
        expect(toolStats, 'seven calls, and the end of the scout').toEqual({
          totalCalls: 8,
          failedCalls: 1,
        });
        const { runs } = await office.executor.listRuns(SESSION);
        expect(runs.map((run) => run.status)).toEqual([
          'suspended_client_tool',
          'suspended_client_tool',
          'completed',
          'completed',
        ]);
      });
    }
  });
}

const ALREADY = { status: 'already_completed' };

async function transcript({ stateStore }: KeptStores): Promise<readonly string[]> {
  const ref = { rootId: SESSION, sessionId: SESSION };
  const rows = await stateStore.sessions.readMessages(ref);
  const session = await stateStore.sessions.readSession(ref);
  return [
    ...rows.map(({ message }) =>
      message.role === 'tool' ? `${message.toolName}: ${message.content}` : message.role,
    ),
    JSON.stringify(session?.customState),
  ];
}

const TRANSCRIPT = [
  'user',
  'assistant',
  'greet: hello',
  'assistant',
  'note: {"noted":"one"}',
  'assistant',
  'note: {"noted":"two"}',
  'pick: blue',
  'send: sent to ann',
  'subagent__scout: {"said":"sunny"}',
  'late: Error: The client did not answer this tool call in time.',
  'assistant',
  '{"notes":["one","two"]}',
];
