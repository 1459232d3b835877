// If this fails: a message that is sent again is shown the answer to another one.
import { describe, expect, it } from 'vitest';
import type { RunRow } from '../src/index.ts';
import { readTurnRuns, type MessageRow, type SessionStore } from '../src/store.ts';

const REF = { rootId: 's', sessionId: 's' };

/** Rows of turns, each `user` or `assistant` messages and runs, all of the moment that is given. */
class Rows {
  readonly messages: MessageRow[] = [];
  readonly runs: RunRow[] = [];

  say(role: 'user' | 'assistant', createdAt: number): MessageRow {
    const sequence = this.messages.length + 1;
    const row = { sessionId: 's', sequence, message: { role, content: '' }, createdAt };
    this.messages.push(row);
    return row;
  }

  run(trigger: RunRow['trigger'], startedAt: number): string {
    const turn = this.runs.length + 1;
    const runId = `run-${turn}`;
    this.runs.push({ runId, trigger, startedAt, turn } as RunRow);
    return runId;
  }

  store(): Pick<SessionStore, 'readRuns' | 'readMessages'> {
    return {
      readRuns: async (_ref, { last = Infinity } = {}) =>
        this.runs.slice(Math.max(0, this.runs.length - last)),
      readMessages: async (_ref, { after = 0, limit = Infinity } = {}) =>
        this.messages.slice(after, after + limit),
    };
  }

  async idsOf(row: MessageRow): Promise<readonly string[]> {
    return (await readTurnRuns(this.store(), REF, row)).map(({ runId }) => runId);
  }
}

describe('the runs of a turn', () => {
  it.each([3, 20])('are told apart where %i turns began in one millisecond', async (count) => {
    const rows = new Rows();
    rows.say('user', 1);
    rows.run('execute', 1);
    const turns = Array.from({ length: count }, (_, place) => {
      const row = rows.say('user', 5);
      const runs = [rows.run('execute', 5)];
      // One has failed and said nothing; one was resumed.
      if (place % 3 !== 1) rows.say('assistant', 5);
      if (place % 3 === 2) runs.push(rows.run('resume', 5));
      return { row, runs };
    });
    rows.say('user', 9);
    rows.run('execute', 9);
    for (const { row, runs } of turns) expect(await rows.idsOf(row)).toEqual(runs);
  });

  it('are those of all messages that were sent together', async () => {
    const rows = new Rows();
    const first = [rows.say('user', 5), rows.say('user', 5)];
    const run = rows.run('execute', 5);
    rows.say('assistant', 5);
    rows.say('user', 5);
    rows.run('execute', 5);
    for (const row of first) expect(await rows.idsOf(row)).toEqual([run]);
  });

  it('are those of the newest turn where no run began with the message', async () => {
    const rows = new Rows();
    const imported = rows.say('user', 2);
    rows.say('user', 5);
    const run = rows.run('execute', 5);
    expect(await rows.idsOf(imported)).toEqual([run]);
  });
});
