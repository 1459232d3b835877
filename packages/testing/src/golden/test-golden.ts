// If this fails: a release cannot go on with sessions that an earlier one left waiting for a person (MIGR-02).
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Clock } from '@helix-agents/core';
import { systemClock } from '@helix-agents/core/host';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { TestWorld } from '../world/test-world.ts';
import { finishSession, GREETING, openGolden, SESSION, suspendSession } from './golden-session.ts';

export interface TestGoldenOptions {
  readonly name: string;
  /** The fixture of today's format, which is part of its name. All files beside it are restored and resumed. */
  readonly fixture: string;
  /** A world with empty stores. */
  create(): Promise<TestWorld>;
  /** Everything that is stored, as text. */
  dump(world: TestWorld): Promise<string>;
  /** A world over what a dump says, migrated as by a deploy. */
  restore(dump: string): Promise<TestWorld>;
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
  const { fixture } = options;
  const folder = dirname(fixture);
  const opened = (world: TestWorld): TestWorld => {
    onTestFinished(() => world.close());
    return world;
  };

  describe(`golden fixtures: ${options.name}`, () => {
    it('exist for the format that is written today', async () => {
      if (!existsSync(fixture) && process.env[MAKE] === '1') {
        const world = opened(await options.create());
        await suspendSession(world, LONG_AGO);
        mkdirSync(folder, { recursive: true });
        writeFileSync(fixture, await options.dump(world));
      }
      const advice = `make it with ${MAKE}=1 npx vitest run <this file>, and commit it`;
      expect(existsSync(fixture), `${basename(fixture)} is missing: ${advice}`).toBe(true);
    });

    for (const file of existsSync(folder) ? readdirSync(folder).toSorted() : []) {
      it(`are resumed: ${file}`, async () => {
        const dump = readFileSync(`${folder}/${file}`, 'utf8');
        const world = opened(await options.restore(dump));
        const golden = openGolden(world);
        await expectRoutes(world);
        const before = await world.streamManager.getStreamInfo(SESSION);
        expect(await golden.executor.submitToolResult(GREETING)).toEqual(ALREADY);

        expect(await finishSession(golden)).toEqual({ status: 'completed', output: 'done' });
        expect(golden.ran, 'what had finished is not done again').toEqual(['send ann']);
        expect(await transcript(world)).toEqual(TRANSCRIPT);
        const chunks = await world.streamManager.readChunks(SESSION);
        expect(chunks.map((chunk) => chunk.sequence)).toEqual(chunks.map((_, index) => index + 1));
        expect(chunks[before?.head ?? 0]?.chunk.type).toBe('run_resumed');

        const again = await golden.executor.execute(golden.clerk, 'More.', { sessionId: SESSION });
        expect(await again.result()).toEqual({ status: 'completed', output: 'and again' });
        const { toolStats } = await world.usageStore.getRollup(SESSION);
        expect(toolStats, 'seven calls, and the end of the scout').toEqual({
          totalCalls: 8,
          failedCalls: 1,
        });
        const { runs } = await golden.executor.listRuns(SESSION);
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

/** Of the root and of its one sub-agent, whatever their format had. */
async function expectRoutes({ stateStore: { index, sessions } }: TestWorld): Promise<void> {
  const { items } = await index.listSessions({ rootsOnly: false });
  expect(items).toHaveLength(2);
  for (const { sessionId, route, unitId } of items) {
    expect(route).toEqual(sessionId === SESSION ? [SESSION] : [SESSION, sessionId]);
    expect([unitId, await index.findRoot(sessionId)]).toEqual([SESSION, SESSION]);
  }
  const calls = await sessions.readCalls(SESSION);
  expect(new Set(calls.map((call) => call.unitId))).toEqual(new Set([SESSION]));
}

async function transcript({ stateStore }: TestWorld): Promise<readonly string[]> {
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
