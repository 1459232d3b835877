import type { Boundary, CommitPurpose } from './boundary.ts';
import type { Fate } from './mortal-process.ts';
import type { Scenario } from './scenario.ts';
import { mixed, twoWriters } from './scenarios/human-calls.ts';
import { parallel, plain } from './scenarios/server-tools.ts';
import { interruptRunning } from './scenarios/stops.ts';
import { asksTwice } from './scenarios/sub-agents.ts';

/** A moment at which a process is killed, and what is true afterwards. */
export interface CrashPoint {
  readonly point: string;
  readonly title: string;
  readonly scenario: Scenario;
  readonly kind: Fate['kind'];
  readonly side: Fate['side'];
  readonly at: (boundary: Boundary) => boolean;
  /** Exists only where sessions of a tree live in databases of their own. */
  readonly apart?: true;
}

const commit =
  (purpose: CommitPurpose, below = false, more: Partial<Boundary> = {}) =>
  (boundary: Boundary): boolean =>
    boundary.purpose === purpose &&
    boundary.below === below &&
    Object.entries(more).every(([key, value]) => boundary[key as keyof Boundary] === value);

const chunk =
  (type: string) =>
  (boundary: Boundary): boolean =>
    boundary.chunks?.includes(type) ?? false;

const call =
  (place: Boundary['place'], what: string) =>
  (boundary: Boundary): boolean =>
    boundary.place === place && boundary.what === what;

const dies = { kind: 'die' } as const;
const before = { ...dies, side: 'before' } as const;
const after = { ...dies, side: 'after' } as const;

/** The numbered crash points. Each is a boundary of a scenario, found by what the call does. */
export const CRASH_POINTS: readonly CrashPoint[] = [
  {
    point: 'K01',
    title: 'around the creation of the session: usable, no ghost run',
    scenario: plain,
    ...before,
    at: commit('create'),
  },
  {
    point: 'K02',
    title: 'after the claim, before the model: the same run goes on',
    scenario: plain,
    ...after,
    at: commit('create'),
  },
  {
    point: 'K03',
    title: 'in the model stream, partial text out: withdrawn, no partial message',
    scenario: plain,
    ...after,
    at: (boundary) => boundary.thinking > 0 && chunk('text_delta')(boundary),
  },
  {
    point: 'K04',
    title: 'model answer recorded, before dispatch: found, not asked again',
    scenario: plain,
    ...after,
    at: commit('plan'),
  },
  {
    point: 'K05',
    title: 'inside execute(): one result',
    scenario: plain,
    ...after,
    at: call('tool', 'first inside'),
  },
  {
    point: 'K06',
    title: 'one parallel tool recorded, another running: one result each',
    scenario: parallel,
    ...after,
    at: (boundary) => commit('result')(boundary) && boundary.executing > 0,
  },
  {
    point: 'K07',
    title: 'all tools recorded, before the commit: found, not run again',
    scenario: parallel,
    ...before,
    at: commit('close'),
  },
  {
    point: 'K08a',
    title: 'commit applied, reply lost: recognised by its id',
    scenario: parallel,
    kind: 'fault',
    side: 'after',
    at: commit('close'),
  },
  {
    point: 'K08b',
    title: 'commit not applied, reply lost: sent again',
    scenario: parallel,
    kind: 'fault',
    side: 'before',
    at: commit('close'),
  },
  {
    point: 'K09',
    title: 'call opened, before it is announced: announced once by the next owner',
    scenario: mixed,
    ...after,
    at: commit('plan'),
  },
  {
    point: 'K09',
    title: 'suspension committed, before it is announced: visible, said once',
    scenario: mixed,
    ...after,
    at: commit('suspend'),
  },
  {
    point: 'K11',
    title: 'suspended, before the stream says so and closes: a clean end',
    scenario: mixed,
    ...before,
    at: chunk('run_suspended'),
  },
  {
    point: 'K12',
    title: 'submit stored, reply lost: the retry hears already_completed',
    scenario: mixed,
    ...after,
    at: call('store', 'answerCall'),
  },
  {
    point: 'K13',
    title: 'two submits at once, one writer dies before its write: the other survives',
    scenario: twoWriters,
    ...before,
    at: call('store', 'answerCall'),
  },
  {
    point: 'K14',
    title: 'resume claimed, before answers are taken in: lease frees, one drain',
    scenario: mixed,
    ...after,
    at: commit('claim'),
  },
  {
    point: 'K15',
    title: 'answers taken in and committed, before the model: not taken in again',
    scenario: mixed,
    ...after,
    at: (boundary) => commit('close')(boundary) && (boundary.calls ?? 0) > 0,
  },
  {
    point: 'K16',
    title: 'approved execute() ran, before its result is recorded: outcome unknown, not run again',
    scenario: mixed,
    ...before,
    at: commit('result', false, { index: 1 }),
  },
  {
    point: 'K17',
    title: 'child created, before the parent hears of it: the same child goes on',
    scenario: mixed,
    ...after,
    at: (boundary) => boundary.purpose === 'child-create',
  },
  {
    point: 'K18',
    title: 'child finished, before the parent records it: collected, not run again',
    scenario: mixed,
    ...before,
    at: commit('collect'),
  },
  {
    point: 'K19',
    title: 'child suspended, before the parent is: the same outcome, no child anew',
    scenario: asksTwice,
    ...after,
    at: commit('suspend', true),
  },
  {
    point: 'K20',
    title: 'interrupt seen, before it is committed: still takes effect',
    scenario: interruptRunning,
    ...before,
    at: commit('interrupt'),
  },
  {
    point: 'K21',
    title: "answer taken in by the child, before the root's row is settled: settled on next touch",
    scenario: asksTwice,
    ...after,
    at: (boundary) => commit('close', true)(boundary) && (boundary.calls ?? 0) > 0,
    apart: true,
  },
  {
    point: 'K22',
    title: 'final status committed, before the stream ends: attach shows the end once',
    scenario: plain,
    ...after,
    at: commit('end'),
  },
  {
    point: 'K24',
    title: 'lease lost while paused before a commit: the late commit is refused',
    scenario: parallel,
    kind: 'pause',
    side: 'before',
    at: commit('close'),
  },
];
