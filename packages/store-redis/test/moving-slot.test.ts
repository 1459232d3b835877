// If this fails: while an operator moves a slot of a cluster, questions that wait for people seem to be gone, a session is created
// twice, or half of a commit is written.
import { callKey } from '@helix-agents/core/store';
import { randomUUID } from 'node:crypto';
import type { SessionStore } from '@helix-agents/core/store';
import {
  describeServer,
  startRedisCluster,
  type RedisClusterServers,
} from '@helix-agents/test-servers';
import {
  callRow,
  messageRow,
  planFor,
  seed,
  sessionRow,
  T0,
  textChunk,
} from '@helix-agents/testing';
import { Cluster } from 'ioredis';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createKeys } from '../src/keys.ts';
import { beginMove, type SlotMove } from './move-slot.ts';
import { overClient, type Connection } from './over-client.ts';

const unavailable = { code: 'store_unavailable', retryable: true };
const row = sessionRow({ status: 'suspended_client_tool' });
const call = callRow('a');
const areaOf = (id: string): string => createKeys('p').areaOf(id);
const tag = /\{(.*)\}/.exec(areaOf(row.sessionId))![1]!;
/** Another root of the same partition. */
const newId = Array.from({ length: 500 }, (_, n) => `n${n}`).find(
  (id) => areaOf(id) === areaOf('s1'),
)!;
const newRow = sessionRow({ sessionId: newId });

const create = (store: SessionStore, commitId: string): Promise<boolean> =>
  store.commit({
    ...planFor(newRow),
    commitId,
    guard: {},
    sessions: [],
    insert: { sessions: [newRow] },
  });
const createAgain = (store: SessionStore): Promise<boolean> =>
  store.commit({ ...planFor(row), guard: {}, sessions: [], insert: { sessions: [row] } });
const append = (store: SessionStore): Promise<boolean> =>
  store.commit(planFor(row, { insert: { messages: [messageRow(2)] } }));
const answer = (store: SessionStore): ReturnType<SessionStore['answerCall']> =>
  store.answerCall({
    key: callKey(call),
    outcome: 'answered',
    answer: { kind: 'result', value: 1 },
    answeredBy: null,
    now: T0,
  });

describeServer('redis', () => {
  let servers: RedisClusterServers;
  beforeAll(async () => {
    servers = await startRedisCluster();
  }, 180_000);
  afterAll(() => servers.stop());

  function connect(prefix: string, maxRedirections: number): Connection {
    const nodes = servers.nodes.map(({ port }) => ({ host: '127.0.0.1', port }));
    const connection = overClient(
      new Cluster(nodes, { maxRedirections, retryDelayOnTryAgain: 5 }),
      prefix,
    );
    onTestFinished(() => connection.close());
    return connection;
  }

  async function beginToMove(): Promise<{
    readonly hasty: Connection;
    readonly patient: Connection;
    readonly move: SlotMove;
  }> {
    const prefix = `t-${randomUUID()}`;
    const patient = connect(prefix, 10_000);
    const hasty = connect(prefix, 4);
    await seed(patient.store, { sessions: [row], messages: [messageRow(1)], calls: [call] });
    await patient.streamManager.append('s1', [{ chunk: textChunk('x') }]);
    const move = await beginMove(servers, tag);
    onTestFinished(() => move.close());
    return { hasty, patient, move };
  }

  async function expectRefusals({ store, streamManager }: Connection): Promise<void> {
    expect(await store.readSession(row), 'one key is read wherever it is').toEqual(row);
    expect(await store.readMessages(row)).toEqual([messageRow(1)]);
    const refused: (() => Promise<unknown>)[] = [
      () => store.readStep(row),
      () => store.readCalls('s1'),
      () => store.listSessions(),
      () => create(store, 'hasty'),
      () => createAgain(store),
      () => append(store),
      () => answer(store),
      () => store.deleteSession(row),
      () => streamManager.getStreamInfo('s1'),
      () => streamManager.append('s1', [{ chunk: textChunk('y') }]),
    ];
    for (const ask of refused) await expect(ask(), String(ask)).rejects.toMatchObject(unavailable);
  }

  it.each([
    ['nothing', () => false],
    ['one half', (place: number) => place % 2 === 0],
    ['the other half', (place: number) => place % 2 === 1],
    ['everything', () => true],
  ])(
    'a slot of which %s has moved: no answer is wrong, and those who wait get theirs',
    async (_, which) => {
      const { hasty, patient, move } = await beginToMove();
      await move.moveKeys(which);
      await expectRefusals(hasty);

      const { store } = patient;
      const waiting = Promise.all([
        Promise.all([create(store, 'one'), create(store, 'two')]),
        createAgain(store),
        answer(store),
        append(store),
        store.readStep(row),
      ]);
      await expectRefusals(hasty);
      await move.moveKeys();
      await move.tellTarget();
      const [created, again, answered, appended, step] = await waiting;
      expect(created.toSorted()).toEqual([false, true]);
      expect(again).toBe(false);
      expect(answered).toMatchObject({ found: true, taken: true });
      expect(appended).toBe(true);
      expect(step).toMatchObject({ session: { sessionId: 's1' } });

      await move.tellSource();
      expect(await hasty.store.readMessages(row)).toEqual([messageRow(1), messageRow(2)]);
      expect(await hasty.store.readCalls('s1')).toMatchObject([{ state: 'answered' }]);
      expect((await hasty.store.listSessions()).items).toHaveLength(2);
      expect(await hasty.streamManager.append('s1', [{ chunk: textChunk('y') }])).toBe(2);
    },
  );
});
