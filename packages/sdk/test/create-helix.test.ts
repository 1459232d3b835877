import { expect, expectTypeOf, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import {
  createHelix,
  defineAgent,
  DefinitionError,
  defineTool,
  functionModel,
  InMemoryStateStore,
  InMemoryStreamManager,
  openSqlite,
  type AgentExecutionHandle,
  type AgentExecutor,
  type Helix,
  type HelixOptions,
  type HelixStores,
} from '../src/index.ts';

const sent: string[] = [];

const mailer = defineAgent({
  name: 'mailer',
  systemPrompt: 'You send mail.',
  outputSchema: z.object({ sent: z.number() }),
  tools: [
    defineTool({
      name: 'send',
      inputSchema: z.object({ to: z.string() }),
      requireApproval: true,
      execute: ({ to }) => void sent.push(to),
    }),
  ],
  llmConfig: { model: 'scripted' },
});

const model = functionModel(({ messages }) => {
  const results = messages.filter((message) => message.role === 'tool');
  const call =
    results.length === 0
      ? { id: 'a', name: 'send', arguments: { to: 'ada' } }
      : {
          id: 'b',
          name: '__finish__',
          arguments: { sent: results.filter((result) => result.success).length },
        };
  return { type: 'tool_calls', toolCalls: [call] };
});

function open(options: Partial<HelixOptions> = {}): Helix {
  const helix = createHelix({ model, database: ':memory:', ...options });
  onTestFinished(() => helix.close());
  return helix;
}

it('createHelix runs an agent, stores a person’s answer and resumes', async () => {
  sent.length = 0;
  const helix = open();
  const handle = await helix.run(mailer, 'Write to Ada', { sessionId: 's' });
  const waiting = await handle.result();
  expect(waiting).toMatchObject({ suspended: { toolCallIds: ['a'] } });

  const answer = { kind: 'approval-response', sessionId: 's', toolCallId: 'a', approved: true };
  const submission = answer as Parameters<Helix['submitToolResult']>[0];
  expect(await helix.submitToolResult(submission)).toEqual({ status: 'accepted' });
  expect(sent).toEqual([]);

  const resumed = await helix.resume(mailer, 's');
  const result = await resumed.result();
  expect(result).toEqual({ status: 'completed', output: { sent: 1 } });
  expect(sent).toEqual(['ada']);
});

it('createHelix types the output by the schema of the agent', async () => {
  const handle = await open().run(mailer, 'Write to Ada');
  const result = await handle.result();
  if (result.status === 'completed') expectTypeOf(result.output).toEqualTypeOf<{ sent: number }>();
  expect(result.status).toBe('suspended_client_tool');
});

it('the executor of createHelix types the output, too', async () => {
  const { executor } = open();
  const handle = await executor.execute(mailer, 'Write to Ada', { sessionId: 's' });
  await handle.result();
  const resumed = await executor.resume(mailer, 's');
  const result = await resumed.result();
  const found = await executor.getHandle(mailer, 's');
  type Handle = AgentExecutionHandle<{ sent: number }>;
  expectTypeOf(handle).toEqualTypeOf<Handle>();
  expectTypeOf(resumed).toEqualTypeOf<Handle>();
  expectTypeOf(found).toEqualTypeOf<Handle | null>();
  expectTypeOf<AgentExecutor['retry']>().toBeCallableWith(mailer, 's');
  if (result.status === 'completed') expectTypeOf(result.output).toEqualTypeOf<{ sent: number }>();
  expect(found?.runId).toBe(resumed.runId);
});

it('createHelix finds agents by the list it was given', async () => {
  const stores = openSqlite(':memory:');
  const database: HelixStores = { ...stores, close: () => {} };
  onTestFinished(stores.close);
  const first = open({ database });
  await (await first.run(mailer, 'Write to Ada', { sessionId: 's' })).result();
  await first.close();

  const stranger = open({ database });
  await expect(stranger.resume('s')).rejects.toMatchObject({ code: 'agent_not_found' });
  const second = open({ database, agents: [mailer] });
  const result = await (await second.resume('s')).result();
  expect(result.status).toBe('suspended_client_tool');
});

it('close() closes the stores last, once, and starts nothing after that', async () => {
  const events: string[] = [];
  const database: HelixStores = {
    stateStore: new InMemoryStateStore(),
    streamManager: new InMemoryStreamManager(),
    close: () => void events.push('stores closed'),
  };
  const slow = functionModel(() => ({ type: 'text', content: 'late', shouldStop: true }), {
    delayMs: 60_000,
  });
  const helix = open({ database, model: slow, shutdownGraceMs: 0 });
  const handle = await helix.run(mailer, 'Hello', { sessionId: 's' });
  const result = handle.result().catch(({ code }: { code: string }) => events.push(code));

  const starting = helix.run(mailer, 'Hello again');
  await Promise.all([helix.close(), helix.close(), result, starting.catch(() => undefined)]);

  expect(events).toEqual(['run_handed_over', 'stores closed']);
  const ref = { rootId: 's', sessionId: 's' };
  const session = await database.stateStore.sessions.readSession(ref);
  expect(session).toMatchObject({ status: 'running', leaseUntil: null, error: null });
  await expect(helix.run(mailer, 'Too late')).rejects.toMatchObject({ code: 'run_handed_over' });
});

it('createHelix keeps serving when recovery fails', async () => {
  const memory = new InMemoryStateStore();
  const failures: string[] = [];
  const down = async (): Promise<never> => {
    throw new Error('the index is down');
  };
  const index = Object.assign(Object.create(memory.index) as typeof memory.index, {
    findDue: down,
  });
  const stateStore = { sessions: memory.sessions, index };
  const helix = open({
    database: { stateStore, streamManager: new InMemoryStreamManager() },
    logger: { info() {}, warn() {}, error: (event) => void failures.push(event) },
  });
  const handle = await helix.run(mailer, 'Write to Ada');
  expect((await handle.result()).status).toBe('suspended_client_tool');
  expect(failures).toEqual(['recovery.failed']);
});

it('createHelix refuses two different agents of one name', () => {
  expect(() => open({ agents: [mailer, mailer] })).not.toThrow();
  expect(() => open({ agents: [mailer, { ...mailer }] })).toThrow(DefinitionError);
});

it('createHelix resumes answered sessions by itself only with autoResume', async () => {
  const database = stores();
  const first = open({ database, recoverEveryMs: false });
  await (await first.run(mailer, 'Write to Ada', { sessionId: 's' })).result();
  const approval = { kind: 'approval-response', sessionId: 's', toolCallId: 'a' } as const;
  await first.submitToolResult({ ...approval, approved: true });

  const second = open({ database, agents: [mailer] });
  await second.executor.recover();
  expect((await second.executor.sweep()).answered).toEqual(['s']);
  expect((await second.executor.listRuns('s')).runs).toHaveLength(1);

  const third = open({ database, agents: [mailer], autoResume: true });
  await third.executor.recover();
  const handle = await third.executor.getHandle(mailer, 's');
  expect(await handle?.result()).toMatchObject({ status: 'completed' });
});

it('createHelix supervises no longer once it is closed, and refuses an interval that is none', async () => {
  const failed: string[] = [];
  const logger = { info() {}, warn() {}, error: (event: string) => void failed.push(event) };
  const helix = open({ logger, agents: [mailer] });
  const stop = helix.executor.supervise({ everyMs: 1 });
  await helix.close();
  await stop();
  expect(failed).toEqual([]);
  expect(() => open({ recoverEveryMs: Number.NaN })).toThrow(
    expect.objectContaining({ code: 'INVALID_REQUEST' }),
  );
});

function stores(): HelixStores {
  return { stateStore: new InMemoryStateStore(), streamManager: new InMemoryStreamManager() };
}
