import type { SessionRow, SessionStateStore, StateStore } from '@helix-agents/core';
import type { FullStreamManager } from '@helix-agents/core/store';
import { moveStatusAtRandom, type StatusOperation } from '../state-store/status-log.ts';
import { freshCommitId } from '../store/plans.ts';
import { messageRow } from '../store/rows.ts';

/** What one process of several has of the store they share. */
export interface ProcessStores {
  readonly stateStore: SessionStateStore & StateStore;
  readonly streamManager: FullStreamManager;
}

export interface StoreCommands {
  /** Tries conditional commits on what it reads. Returns the versions it wrote. */
  commit: { readonly given: { readonly tries: number }; readonly result: number[] };
  /** Moves a status at random. Returns its operations and their results. */
  moveStatus: { readonly given: { readonly times: number }; readonly result: StatusOperation[] };
  /** Appends numbered chunks to the stream `s1`, one by one. */
  append: {
    readonly given: { readonly name: string; readonly count: number };
    readonly result: null;
  };
  /** Answers calls of `s1`, one by one. Says which answers were taken. */
  answer: {
    readonly given: { readonly toolCallIds: readonly string[]; readonly value: string };
    readonly result: string[];
  };
  /** Creates sessions, one by one. Says which it created. */
  create: { readonly given: { readonly ids: readonly string[] }; readonly result: string[] };
}

type Commands = {
  [Name in keyof StoreCommands]: (
    stores: ProcessStores,
    given: StoreCommands[Name]['given'],
  ) => Promise<StoreCommands[Name]['result']>;
};

/**
 * The body of a program that `testStoreProcesses` starts: obeys the command in its first argument and gives what to
 * print.
 *
 * @example
 * const [command = '', file = ''] = process.argv.slice(2);
 * const { stateStore, streamManager, close } = openSqlite(file);
 * process.stdout.write(await obeyStoreCommand(command, { stateStore, streamManager }));
 * close();
 */
export async function obeyStoreCommand(command: string, stores: ProcessStores): Promise<string> {
  const { name, given } = JSON.parse(command) as { name: keyof StoreCommands; given: never };
  return JSON.stringify(await commands[name](stores, given));
}

const ref = { rootId: 's1', sessionId: 's1' };

const commands: Commands = {
  async commit({ stateStore: { sessions } }, { tries }) {
    const won: number[] = [];
    for (let count = 0; count < tries; count += 1) {
      const { version } = (await sessions.readSession(ref)) as SessionRow;
      // Lets the other process in between reading and writing, at random.
      if (Math.random() < 0.3) {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 2));
      }
      const applied = await sessions.commit({
        kind: 'edit',
        rootId: 's1',
        commitId: freshCommitId(),
        now: Date.now(),
        guard: { sessions: [{ sessionId: 's1', version }] },
        sessions: [{ sessionId: 's1', raise: { version: true } }],
        insert: { messages: [messageRow(version)] },
      });
      if (applied) won.push(version);
    }
    return won;
  },
  moveStatus: ({ stateStore }, { times }) =>
    moveStatusAtRandom(stateStore, 's1', {
      times,
      // One clock for all processes of a machine, in microseconds.
      now: () => Number(process.hrtime.bigint() / 1000n),
      random: Math.random,
    }),
  async append({ streamManager }, { name, count }) {
    const base = { agentId: name, agentType: 'a', timestamp: 1, step: 1 };
    for (let delta = 1; delta <= count; delta += 1) {
      const chunk = { ...base, type: 'text_delta', delta: `${delta}` } as const;
      await streamManager.append('s1', [{ chunk }]);
    }
    return null;
  },
  async answer({ stateStore: { sessions } }, { toolCallIds, value }) {
    const taken: string[] = [];
    for (const toolCallId of toolCallIds) {
      const result = await sessions.answerCall({
        key: { rootId: 's1', toolCallId, part: '' },
        outcome: 'answered',
        answer: { kind: 'result', value },
        answeredBy: null,
        now: Date.now(),
      });
      if (result.found && result.taken) taken.push(toolCallId);
    }
    return taken;
  },
  async create({ stateStore }, { ids }) {
    const created: string[] = [];
    for (const id of ids) {
      await stateStore.createSession(id).then(
        () => created.push(id),
        () => {},
      );
    }
    return created;
  },
};
