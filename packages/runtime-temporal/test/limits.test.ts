// If this fails: a run breaks at a limit of Temporal, dies with its parent's workflow, or cannot be found in Temporal's lists.
import type { Logger } from '@helix-agents/core';
import { describeServer, sharedServerUrl, startTemporal } from '@helix-agents/test-servers';
import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { openStreet, type Street } from './shops.ts';

const PATIENCE = { timeout: 300_000, interval: 50 };
const DONE = { status: 'completed', output: 'done' };

describeServer('temporal', () => {
  let street: Street;
  let client: Client;
  beforeAll(async () => {
    street = await openStreet(await sharedServerUrl('temporal'));
    ({ client } = street);
  }, 20 * 60_000);
  afterAll(() => street.close());

  it('a workflow dispatches four hundred calls in waves that fit into payloads of 16 kB', async () => {
    const { agent, executor, prefix, stateStore, startWorker } = street.openShop();
    await startWorker();
    const handle = await executor.execute(agent, 'crowd', { sessionId: 's' });
    expect(await handle.result()).toEqual(DONE);
    const rows = await stateStore.sessions.readMessages({ rootId: 's', sessionId: 's' });
    const answered = rows.flatMap(({ message }) =>
      message.role === 'tool' ? [message.toolCallId] : [],
    );
    expect(answered).toEqual(Array.from({ length: 400 }, (_, index) => `look-${index}`));
    const { events } = await client.workflow.getHandle(`${prefix}__work__s`).fetchHistory();
    const scheduled = (name: string): number =>
      events?.filter(
        ({ activityTaskScheduledEventAttributes: one }) => one?.activityType?.name === name,
      ).length ?? 0;
    expect(scheduled('runTool')).toBe(400);
    expect(scheduled('settleStep'), 'more than one wave').toBeGreaterThan(3);
    expect(Math.max(...payloadSizes(events ?? []))).toBeLessThanOrEqual(16_384);
  });

  it('a workflow takes call ids that are longer than what Temporal shows of an activity', async () => {
    const { agent, executor, startWorker } = street.openShop();
    await startWorker();
    const handle = await executor.execute(agent, 'wordy', { sessionId: 's' });
    expect(await handle.result()).toEqual(DONE);
  });

  it('a child whose parent has no workflow any more finishes and is collected', async () => {
    const reached = Promise.withResolvers<void>();
    const opened = Promise.withResolvers<void>();
    let executed = 0;
    const { agent, executor, prefix, startWorker } = street.openShop({
      hold: async (_, place) => {
        if (place !== 'in look') return;
        executed += 1;
        reached.resolve();
        await opened.promise;
      },
    });
    await startWorker();
    await executor.execute(agent, 'child', { sessionId: 's' });
    await reached.promise;
    await client.workflow.getHandle(`${prefix}__work__s`).terminate('by an operator');
    opened.resolve();
    const child = client.workflow.getHandle(`${prefix}__child__s-sub-1-0`);
    expect(await child.result()).toMatchObject({ status: 'completed' });
    expect(await (await executor.resume('s')).result()).toEqual(DONE);
    expect(executed).toBe(1);
  });

  it('a run starts in a namespace that does not know the search attributes, and a warning is logged', async () => {
    const warnings: unknown[] = [];
    const nothing = (): void => {};
    const logger: Logger = {
      debug: nothing,
      info: nothing,
      error: nothing,
      warn: (event, details) => {
        if (event.startsWith('temporal.')) warnings.push([event, details]);
      },
    };
    const name = `Unknown${crypto.randomUUID().replaceAll('-', '')}`;
    const { agent, executor, startWorker } = street.openShop({
      logger,
      searchAttributes: { sessionId: name },
    });
    await startWorker();
    const handle = await executor.execute(agent, 'child', { sessionId: 's' });
    expect(await handle.result()).toEqual(DONE);
    expect(warnings).toMatchObject([
      ['temporal.search_attributes_refused', { sessionId: 's', searchAttributes: [name] }],
    ]);
  });

  it('a run is found by its search attributes, with its sub-agents, also in a history that Temporal asked for', async () => {
    const server = await startTemporal({
      searchAttributes: ['AgentSession', 'AgentName'],
      settings: ['limit.historyCount.suggestContinueAsNew=40'],
    });
    onTestFinished(() => server.stop());
    const own = await openStreet(server.url);
    onTestFinished(() => own.close());
    const { agent, executor, prefix, startWorker } = own.openShop({
      searchAttributes: { sessionId: 'AgentSession', agentType: 'AgentName' },
    });
    await startWorker();
    const long = await executor.execute(agent, 'long', { sessionId: 'long' });
    expect(await long.result()).toEqual(DONE);
    const family = await executor.execute(agent, 'child', { sessionId: 'family' });
    expect(await family.result()).toEqual(DONE);
    /** Ids of workflows, one for each history. */
    const found = async (query: string, count: number): Promise<string[]> => {
      let ids: string[] = [];
      const isThere = async (): Promise<boolean> => {
        ids = [];
        for await (const one of own.client.workflow.list({ query })) ids.push(one.workflowId);
        return ids.length >= count;
      };
      await vi.waitUntil(isThere, PATIENCE);
      return ids;
    };
    const [parent, child] = [`${prefix}__work__family`, `${prefix}__child__family-sub-1-0`];
    expect(new Set(await found("AgentSession = 'family'", 1))).toEqual(new Set([parent]));
    expect(new Set(await found("AgentName = 'child'", 1))).toEqual(new Set([child]));
    // One run, in as many histories as Temporal asked for, each with its labels.
    const histories = await found("AgentSession = 'long'", 2);
    expect(new Set(histories)).toEqual(new Set([`${prefix}__work__long`]));
    expect((await executor.listRuns('long')).runs).toHaveLength(1);
  });
});

type Events = NonNullable<
  Awaited<ReturnType<ReturnType<Client['workflow']['getHandle']>['fetchHistory']>>['events']
>;

/** Of everything that activities were given and gave back. */
function payloadSizes(events: Events): number[] {
  return events.flatMap((event) => {
    const given = event.activityTaskScheduledEventAttributes?.input?.payloads ?? [];
    const results = event.activityTaskCompletedEventAttributes?.result?.payloads ?? [];
    return [...given, ...results].map(({ data }) => data?.length ?? 0);
  });
}
