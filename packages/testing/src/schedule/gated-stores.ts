import type { FullStreamManager, SessionStore } from '@helix-agents/core/store';
import { intercept, performWith, type StoreFault } from '../world/fault-line.ts';
import type { StoreWrite } from '../history/types.ts';
import type { LogAppend } from './schedule-log.ts';

/** Puts a call into the simulation's queue. */
export type Gate = <T>(label: string, work: () => Promise<T>) => Promise<T>;

/** What may go wrong with the next call of a process to its store. */
export type NextFault = () => StoreFault;

type WriteBody = StoreWrite extends infer Write
  ? Write extends StoreWrite
    ? Omit<Write, 'at' | 'process' | 'database'>
    : never
  : never;

export type LogWrite = (database: string, body: WriteBody) => void;

/** A store as one process sees it: each call waits for its turn and may fail. */
export function gatedStore<S extends object>(store: S, gate: Gate, nextFault: NextFault): S {
  return intercept(store, (call) =>
    gate(`store.${call.method}`, () => performWith(nextFault(), call)),
  );
}

/** The same store; what its commits write to streams is logged as an append. */
export function loggedCarrier(
  store: SessionStore,
  appending: () => LogAppend,
  headOf: (streamId: string) => Promise<number>,
): SessionStore {
  return overlaid(store, {
    async commit(plan) {
      if (!plan.stream) return store.commit(plan);
      const log = appending();
      const applied = await store.commit(plan);
      const { streamId } = plan.stream;
      if (applied) log({ streamId, head: await headOf(streamId) });
      return applied;
    },
  });
}

/** The same store; what reaches it is logged. */
export function loggedStore(store: SessionStore, database: string, log: LogWrite): SessionStore {
  return overlaid(store, {
    async commit(plan) {
      const applied = await store.commit(plan);
      log(database, { kind: 'commit', plan: structuredClone(plan), applied });
      return applied;
    },
    async answerCall(input) {
      const result = await store.answerCall(input);
      const row = result.found ? result.row : null;
      log(database, { kind: 'answer', input, taken: result.found && result.taken, row });
      return result;
    },
    async expireCalls(top, now) {
      const rows = await store.expireCalls(top, now);
      log(database, { kind: 'expire', rows });
      return rows;
    },
    async purgeCalls(top, now) {
      const purged = await store.purgeCalls(top, now);
      log(database, { kind: 'purge', rootId: top.rootId, now });
      return purged;
    },
    async requestInterrupt(ref, reason, now, only) {
      const row = await store.requestInterrupt(ref, reason, now, only);
      log(database, { kind: 'interrupt', sessionId: ref.sessionId, row });
      return row;
    },
    async renewLease(input) {
      const state = await store.renewLease(input);
      log(database, { kind: 'renew', input: { ...input }, owned: state.owned });
      return state;
    },
  });
}

/** The same store but for these methods. */
function overlaid(store: SessionStore, own: Partial<SessionStore>): SessionStore {
  return new Proxy(store, {
    get: (target, property, receiver) =>
      Reflect.get(own, property) ?? Reflect.get(target, property, receiver),
  });
}

/** Streams as one process sees them. They do not fail here: a chunk that got lost is the reader's to find out. */
export function gatedStreams(
  streams: FullStreamManager,
  gate: Gate,
  appending: () => LogAppend,
): FullStreamManager {
  return intercept(streams, ({ method, args, perform }) => {
    const isAppend = method === 'append' || method === 'appendAndClose';
    const log = isAppend ? appending() : undefined;
    return gate(`stream.${method}`, async () => {
      const reply = await perform();
      log?.({ streamId: String(args[0]), head: reply as number });
      return reply;
    });
  });
}
