// If this fails: a parent starts, waits for, collects or gives up a child that it should not.
import { describe, expect, it } from 'vitest';
import { isKept } from '../src/engine/children/give-up-child.ts';
import { decideStart } from '../src/engine/children/start-child.ts';
import type { GiveUpReason } from '../src/loop/host.ts';
import type { ChildView, ReachedChild } from '../src/engine/rows/child-view.ts';
import {
  answered,
  call,
  childSession,
  open,
  ownStore,
  sameStore,
  settled,
  unreachable,
} from './step-kit.ts';

const NOW = 1_000;
const error = { code: 'run_failed', message: 'It failed.' };
const suspended = childSession({ status: 'suspended_client_tool' });
const failed = childSession({ status: 'suspended_client_tool', error });
const live = childSession({ leaseOwner: 'other', leaseUntil: NOW + 1 });
const dead = childSession({ leaseOwner: 'other', leaseUntil: NOW });
const given = childSession({ leaseOwner: null, leaseUntil: null, started: false });
/** Claimed by this process for the call, not driven by it. */
const mine = childSession({ leaseOwner: 'me', leaseUntil: NOW + 1, lastCommit: 'call-0#1' });

const STARTS: readonly (readonly [string, ReachedChild, string])[] = [
  ['does not exist', sameStore(null), 'claim'],
  ['has completed', sameStore(childSession({ status: 'completed' })), 'collect'],
  ['has failed', sameStore(childSession({ status: 'failed' })), 'collect'],
  ['was interrupted', sameStore(childSession({ status: 'interrupted' })), 'claim'],
  ['runs with a live owner', sameStore(live), 'wait'],
  ['runs, its lease is over', sameStore(dead), 'claim'],
  ['runs, its owner gave it back', sameStore(given), 'claim'],
  ['was claimed here for this call and is not driven', sameStore(mine), 'mine'],
  ['was claimed here for another call', sameStore({ ...mine, lastCommit: 'call-9#1' }), 'wait'],
  ['is suspended, its call open', sameStore(suspended, [open]), 'collect'],
  ['is suspended, its call answered', sameStore(suspended, [answered]), 'claim'],
  ['is suspended, its answer taken in', sameStore(suspended, [settled]), 'collect'],
  ['is suspended and failed by itself', sameStore(failed, [open]), 'failed'],
  [
    'is suspended in its own store, answered here, open there',
    ownStore(suspended, [answered], [open]),
    'claim',
  ],
  [
    'is suspended in its own store, answered here and there',
    ownStore(suspended, [answered], [answered]),
    'collect',
  ],
];

const starter = {
  clock: { now: () => NOW, setTimer: () => () => undefined },
  identity: { hostKind: 'test', owner: 'me', leaseMs: 30_000 },
  isDriving: () => false,
};

describe('decideStart: what a parent does with a child', () => {
  it.each(STARTS)('a child that %s', (_, child, expected) => {
    expect(decideStart(starter, child, call(0, 'subagent'))).toBe(expected);
  });

  it('a child that this process drives is waited for', () => {
    const driving = { ...starter, isDriving: () => true };
    expect(decideStart(driving, sameStore(mine), call(0, 'subagent'))).toBe('wait');
  });

  it('a child that an engine claimed for this call and has not started is its own', () => {
    const engine = { ...starter, identity: { ...starter.identity, leaseMs: null } };
    const claimed = childSession({ started: false, lastCommit: 'call-0#2' });
    expect(decideStart(engine, sameStore(claimed), call(0, 'subagent'))).toBe('mine');
  });
});

type Kept = Readonly<Record<GiveUpReason, boolean>>;
const NEVER: Kept = { timeout: false, error: false, dispatch_failed: false };
const ALWAYS: Kept = { timeout: true, error: true, dispatch_failed: true };

const KEPT: readonly (readonly [string, ChildView, Kept])[] = [
  ['nobody is asked for, in the same store', sameStore(live), NEVER],
  [
    'a person is asked for, in the same store',
    sameStore(live, [open]),
    { ...NEVER, timeout: true },
  ],
  [
    'an answer is on its way to, in the same store',
    sameStore(live, [answered]),
    { ...NEVER, timeout: true },
  ],
  ['has taken its answer in, in the same store', sameStore(live, [settled]), NEVER],
  ['nobody is asked for, in its own store', ownStore(live), NEVER],
  [
    'a person is asked for, in its own store',
    ownStore(live, [open], [open]),
    { ...NEVER, timeout: true, error: true },
  ],
  [
    'an answer is on its way to, in its own store',
    ownStore(live, [answered], [open]),
    { ...NEVER, timeout: true },
  ],
  [
    'opened a call that is not known here yet',
    ownStore(live, [], [open]),
    { ...NEVER, timeout: true },
  ],
  ['cannot be reached, nobody asked', unreachable(), NEVER],
  ['cannot be reached, a person is asked', unreachable([open]), ALWAYS],
  ['cannot be reached, an answer is on its way', unreachable([answered]), ALWAYS],
];

describe('isKept: a child is not given up', () => {
  for (const [what, child, expected] of KEPT)
    for (const reason of ['timeout', 'error', 'dispatch_failed'] as const)
      it(`a child that ${what}, by ${reason}: ${expected[reason] ? 'kept' : 'given up'}`, () => {
        expect(isKept(child, reason)).toBe(expected[reason]);
      });
});
