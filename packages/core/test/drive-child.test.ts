// The machine of one child and the fan-out of a wave, over a scripted host. I1 to I5 are the invariants of drive-child.ts.
import { describe, expect, it } from 'vitest';
import { runSession } from '../src/loop/run-session.ts';
import type {
  ChildEnd,
  Done,
  Host,
  LoopOutcome,
  LoopRun,
  PlanEntry,
  StartedChild,
} from '../src/loop/host.ts';

const parent: LoopRun = {
  rootId: 'p',
  sessionId: 'p',
  runId: 'r',
  epoch: 1,
  agentType: 'parent',
  loopVersion: 1,
};
const child: LoopRun = { ...parent, sessionId: 'c', runId: 'rc', agentType: 'child' };
const subagent: PlanEntry = {
  index: 0,
  callId: 'call-0',
  class: 'subagent',
  timeoutMs: null,
  execution: 'retry',
};
const server: PlanEntry = { ...subagent, index: 1, callId: 'call-1', class: 'server' };

const OK: Done = { ok: true };
const STALE: Done = { ok: false, code: 'stale' };
const RUN: StartedChild = { ok: true, kind: 'run', run: child, usedMs: 0 };
const WAIT: StartedChild = { ok: true, kind: 'wait' };
const COLLECT: StartedChild = { ok: true, kind: 'collect' };
const ENDED: ChildEnd = { kind: 'ended' };
const ELSEWHERE: ChildEnd = { kind: 'elsewhere' };
const DIED: ChildEnd = { kind: 'died', detail: 'its store failed' };

type Answer<T> = T | Error | Promise<T>;

/** What the host answers, first come first served; when a list is used up, its default. */
interface Script {
  readonly start?: readonly Answer<StartedChild>[];
  readonly run?: readonly Answer<ChildEnd>[];
  readonly collect?: readonly Answer<Done>[];
  readonly giveUp?: readonly Answer<Done>[];
  readonly tool?: readonly Answer<Done>[];
}

interface Wave {
  /** What the host was asked for between think and the next settle, in order. */
  readonly asked: string[];
  readonly outcome: Promise<LoopOutcome>;
  /** Lets the newest timer fire. */
  fire(): Promise<void>;
}

/** Runs one wave of the loop. */
function wave(calls: readonly PlanEntry[], script: Script): Wave {
  const asked: string[] = [];
  const lists = new Map(Object.entries(script).map(([name, list]) => [name, [...list]]));
  const answer = async <T>(name: string, note: string, otherwise: T): Promise<T> => {
    asked.push(note);
    const given = (lists.get(name)?.shift() ?? otherwise) as Answer<T>;
    if (given instanceof Error) throw given;
    return given;
  };
  let fireTimer = (): void => {};
  let settles = 0;
  const host: Host = {
    begin: async () => OK,
    settle: async () => {
      settles += 1;
      return { ok: true, next: settles === 1 ? 'think' : 'end' };
    },
    think: async () => ({ ok: true, calls }),
    tool: (_run, { index }) => answer('tool', `tool ${index}`, OK),
    startChild: () => answer('start', 'start', RUN),
    runChild: () => answer('run', 'run', ENDED),
    collectChild: () => answer('collect', 'collect', OK),
    giveUpChild: (_run, _index, reason, detail) =>
      answer('giveUp', ['give up', reason, detail].filter(Boolean).join(' '), OK),
    fail: async (_run, { message }) => void asked.push(`fail ${message}`),
    handover: async () => OK,
    end: async () => ({ status: 'completed' }),
    pause: () => answer('pause', 'pause', undefined),
    startTimer(ms) {
      asked.push(`timer ${ms}`);
      const { promise: fired, resolve } = Promise.withResolvers<boolean>();
      fireTimer = () => resolve(true);
      const cancel = (): void => {
        asked.push('cancel');
        resolve(false);
      };
      return { fired, cancel };
    },
    shouldYield: async () => false,
    describe: (error) => ({ code: 'run_failed', message: (error as Error).message }),
    warn: (event, { sessionId }, error) => void asked.push(`${event} ${sessionId} ${error}`),
  };
  const fire = async (): Promise<void> => {
    fireTimer();
    await rest();
  };
  return { asked, outcome: runSession(host, parent), fire };
}

async function rest(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
}

const error = (message: string): Error => new Error(message);
const completed: LoopOutcome = { status: 'completed' };
const stale: LoopOutcome = { status: 'stale' };

interface Row {
  readonly title: string;
  readonly script: Script;
  readonly asked: readonly string[];
  readonly outcome?: LoopOutcome;
}

const rows: readonly Row[] = [
  {
    title: 'is started, driven and collected',
    script: {},
    asked: ['start', 'run', 'collect'],
  },
  {
    title: 'is only collected when there is nothing to drive',
    script: { start: [COLLECT] },
    asked: ['start', 'collect'],
  },
  {
    title: 'is asked for again, after a pause, while it has a live owner elsewhere',
    script: { start: [WAIT, WAIT, RUN] },
    asked: ['start', 'pause', 'start', 'pause', 'start', 'run', 'collect'],
  },
  {
    title: 'is started again, after a pause, when the host drives its run elsewhere',
    script: { run: [ELSEWHERE], start: [RUN, COLLECT] },
    asked: ['start', 'run', 'pause', 'start', 'collect'],
  },
  {
    title: 'that died is collected, given up as an error and collected again (I2)',
    script: { run: [DIED] },
    asked: ['start', 'run', 'collect', 'give up error its store failed', 'collect'],
  },
  {
    title: 'that cannot be started is given up as a failed dispatch (I1)',
    script: { start: [error('no such table')] },
    asked: ['start', 'give up dispatch_failed no such table', 'collect'],
  },
  {
    title: 'is left when another owner has its parent at the start (I5)',
    script: { start: [{ ok: false, code: 'stale' }] },
    asked: ['start'],
    outcome: stale,
  },
  {
    title: 'is left when another owner has its parent after a failed start (I5)',
    script: { start: [error('no such table')], giveUp: [STALE] },
    asked: ['start', 'give up dispatch_failed no such table'],
    outcome: stale,
  },
  {
    title: 'is left when another owner has its parent at the collect (I5)',
    script: { collect: [STALE] },
    asked: ['start', 'run', 'collect'],
    outcome: stale,
  },
  {
    title: 'that died is left when another owner has its parent at the collect (I5)',
    script: { run: [DIED], collect: [STALE] },
    asked: ['start', 'run', 'collect'],
    outcome: stale,
  },
  {
    title: 'that died is left when another owner has its parent at the give-up (I5)',
    script: { run: [DIED], giveUp: [STALE] },
    asked: ['start', 'run', 'collect', 'give up error its store failed'],
    outcome: stale,
  },
  {
    title: 'whose collect fails fails the run of its parent',
    script: { collect: [error('store away')] },
    asked: ['start', 'run', 'collect', 'fail store away'],
  },
];

describe('a child', () => {
  it.each(rows)('$title', async ({ script, asked, outcome = completed }) => {
    const played = wave([subagent], script);
    expect(await played.outcome).toEqual(outcome);
    expect(played.asked).toEqual(asked);
  });
});

describe('a child with a time-out', () => {
  const timed: PlanEntry = { ...subagent, timeoutMs: 100 };
  const used = (usedMs: number): StartedChild => ({ ok: true, kind: 'run', run: child, usedMs });

  it('has the time that its earlier runs left; its timer starts before its run', async () => {
    const played = wave([timed], { start: [used(30)] });
    expect(await played.outcome).toEqual(completed);
    expect(played.asked).toEqual(['start', 'timer 70', 'run', 'cancel', 'collect']);
  });

  it('is given up when it is late, and again after every further time-out (I4)', async () => {
    const { promise, resolve } = Promise.withResolvers<ChildEnd>();
    const played = wave([timed], { run: [promise] });
    await rest();
    await played.fire();
    await played.fire();
    resolve(ENDED);
    await played.outcome;
    const late = ['give up timeout', 'timer 100'];
    const expected = ['start', 'timer 100', 'run', ...late, ...late, 'cancel', 'collect'];
    expect(played.asked).toEqual(expected);
  });

  it('whose time was used up before is given up before it is driven (I3)', async () => {
    const played = wave([timed], { start: [used(100)] });
    await played.outcome;
    const expected = ['start', 'give up timeout', 'timer 100', 'run', 'cancel', 'collect'];
    expect(played.asked).toEqual(expected);
  });

  it('lives on when giving it up fails, and is given up again later (I4)', async () => {
    const { promise, resolve } = Promise.withResolvers<ChildEnd>();
    const giveUp = [error('store away'), error('still away')];
    const played = wave([timed], { start: [used(100)], run: [promise], giveUp });
    await rest();
    await played.fire();
    resolve(ENDED);
    expect(await played.outcome).toEqual(completed);
    expect(played.asked).toEqual([
      'start',
      'give up timeout',
      'subagent.timeout_failed c store away',
      'timer 100',
      'run',
      'give up timeout',
      'subagent.timeout_failed c still away',
      'timer 100',
      'cancel',
      'collect',
    ]);
  });

  it('is collected without a wait for a give-up that is under way', async () => {
    const { promise, resolve } = Promise.withResolvers<ChildEnd>();
    const given = Promise.withResolvers<Done>();
    const played = wave([timed], { run: [promise], giveUp: [given.promise] });
    await rest();
    await played.fire();
    resolve(ENDED);
    await played.outcome;
    given.resolve(OK);
    await rest();
    const expected = ['start', 'timer 100', 'run', 'give up timeout', 'cancel', 'collect'];
    expect(played.asked).toEqual(expected);
  });

  it('is not given up when it ended just before its timer was heard', async () => {
    const { promise, resolve } = Promise.withResolvers<ChildEnd>();
    const played = wave([timed], { run: [promise] });
    await rest();
    resolve(ENDED);
    await rest();
    await played.fire();
    expect(await played.outcome).toEqual(completed);
    expect(played.asked).toEqual(['start', 'timer 100', 'run', 'cancel', 'collect']);
  });

  it('is timed no longer, but waited for, when another owner has its parent (I5)', async () => {
    const { promise, resolve } = Promise.withResolvers<ChildEnd>();
    const played = wave([timed], { run: [promise], giveUp: [STALE], collect: [STALE] });
    await rest();
    await played.fire();
    resolve(ENDED);
    expect(await played.outcome).toEqual(stale);
    const expected = ['start', 'timer 100', 'run', 'give up timeout', 'cancel', 'collect'];
    expect(played.asked).toEqual(expected);
  });

  it('that is driven elsewhere has no timer meanwhile', async () => {
    const played = wave([timed], { run: [ELSEWHERE], start: [used(0), COLLECT] });
    await played.outcome;
    const expected = ['start', 'timer 100', 'run', 'cancel', 'pause', 'start', 'collect'];
    expect(played.asked).toEqual(expected);
  });
});

describe('a wave', () => {
  it('begins all calls at once, in call order', async () => {
    const played = wave([subagent, server, { ...server, index: 2 }], {});
    expect(await played.outcome).toEqual(completed);
    expect(played.asked.slice(0, 3)).toEqual(['start', 'tool 1', 'tool 2']);
  });

  it('lets siblings go on when a child cannot be started (I1)', async () => {
    const played = wave([subagent, server], { start: [error('no such table')] });
    expect(await played.outcome).toEqual(completed);
    expect(played.asked).toEqual([
      'start',
      'tool 1',
      'give up dispatch_failed no such table',
      'collect',
    ]);
  });

  it('waits for siblings before it passes on that a call failed', async () => {
    const { promise, resolve } = Promise.withResolvers<ChildEnd>();
    const played = wave([subagent, server], { tool: [error('store away')], run: [promise] });
    await rest();
    expect(played.asked).toEqual(['start', 'tool 1', 'run']);
    resolve(ENDED);
    await played.outcome;
    expect(played.asked.slice(3)).toEqual(['collect', 'fail store away']);
  });

  it('waits for siblings before it passes on that another owner has the session', async () => {
    const { promise, resolve } = Promise.withResolvers<ChildEnd>();
    const played = wave([subagent, server], { tool: [STALE], run: [promise] });
    await rest();
    resolve(ENDED);
    expect(await played.outcome).toEqual(stale);
    expect(played.asked).toEqual(['start', 'tool 1', 'run', 'collect']);
  });

  it('passes on a failure rather than a lost ownership', async () => {
    const played = wave([server, { ...server, index: 2 }], { tool: [STALE, error('store away')] });
    await played.outcome;
    expect(played.asked).toEqual(['tool 1', 'tool 2', 'fail store away']);
  });
});
