// If this fails: a step does something else next than its rows call for. Read the tables as the specification.
import { describe, expect, it } from 'vitest';
import type { ChildView } from '../src/engine/rows/child-view.ts';
import { childWaits, decideStep } from '../src/engine/step/decide-step.ts';
import type { OpenCallRow, PlannedCall } from '../src/store/rows.ts';
import {
  answered,
  call,
  childSession,
  describeError,
  open,
  ownStore,
  record,
  results,
  row,
  sameStore,
  session,
  settled,
  unreachable,
} from './step-kit.ts';

interface Situation {
  readonly calls: readonly PlannedCall[];
  /** Indexes of calls that have a result. */
  readonly done?: readonly number[];
  /** Rows of human calls. */
  readonly rows?: readonly OpenCallRow[];
  /** Children by call index. */
  readonly children?: readonly (readonly [number, ChildView])[];
}

const server = (index: number): PlannedCall => call(index, 'server');
const client = (index: number): PlannedCall => call(index, 'client');
const approval = (index: number): PlannedCall => call(index, 'approval');
const finish = (index: number): PlannedCall => call(index, 'finish');
const subagent = (index: number): PlannedCall => call(index, 'subagent');

const suspended = childSession({ status: 'suspended_client_tool' });
const running = childSession();
const completed = childSession({ status: 'completed' });

const SITUATIONS: readonly (readonly [string, Situation, string])[] = [
  // Calls that run.
  ['no calls', { calls: [] }, 'commit'],
  ['a server call', { calls: [server(0)] }, 'dispatch 0'],
  ['two server calls', { calls: [server(0), server(1)] }, 'dispatch 0 1'],
  ['two server calls, one done', { calls: [server(0), server(1)], done: [0] }, 'dispatch 1'],
  ['all done', { calls: [server(0), server(1)], done: [0, 1] }, 'commit'],

  // Client tools.
  ['a client call, row not there', { calls: [client(0)] }, 'suspend'],
  ['a client call, open', { calls: [client(0)], rows: [row(0, 'open')] }, 'suspend'],
  [
    'a client call, answered',
    { calls: [client(0)], rows: [row(0, 'answered', { outcome: 'answered' })] },
    'commit, accepting 0',
  ],
  [
    'a client call, expired',
    { calls: [client(0)], rows: [row(0, 'answered', { outcome: 'expired' })] },
    'commit, accepting 0',
  ],
  [
    'two client calls, one answered',
    {
      calls: [client(0), client(1)],
      rows: [row(0, 'open'), row(1, 'answered', { outcome: 'answered' })],
    },
    'suspend, accepting 1',
  ],
  [
    'an open client call beside a server call',
    { calls: [client(0), server(1)], rows: [row(0, 'open')] },
    'dispatch 1',
  ],
  [
    'an open client call, the server call done',
    { calls: [client(0), server(1)], rows: [row(0, 'open')], done: [1] },
    'suspend',
  ],

  // Approvals.
  ['an approval, open', { calls: [approval(0)], rows: [row(0, 'open')] }, 'suspend'],
  [
    'an approval, approved: its tool runs',
    { calls: [approval(0)], rows: [row(0, 'answered', { outcome: 'approved' })] },
    'dispatch 0',
  ],
  [
    'an approval, approved and run',
    { calls: [approval(0)], rows: [row(0, 'answered', { outcome: 'approved' })], done: [0] },
    'commit',
  ],
  [
    'an approval, denied',
    { calls: [approval(0)], rows: [row(0, 'answered', { outcome: 'denied' })] },
    'commit, accepting 0',
  ],
  [
    'an approval, approved beside an open client call',
    {
      calls: [approval(0), client(1)],
      rows: [row(0, 'answered', { outcome: 'approved' }), row(1, 'open')],
    },
    'dispatch 0',
  ],

  // Finish calls come last, one by one.
  ['a finish call', { calls: [finish(0)] }, 'dispatch 0'],
  ['a finish call beside a server call', { calls: [finish(0), server(1)] }, 'dispatch 1'],
  [
    'a finish call, the server call done',
    { calls: [finish(0), server(1)], done: [1] },
    'dispatch 0',
  ],
  [
    'a finish call waits for an open client call',
    { calls: [finish(0), client(1)], rows: [row(1, 'open')] },
    'suspend',
  ],
  ['two finish calls: the first', { calls: [finish(0), finish(1)] }, 'dispatch 0'],
  ['two finish calls: the second', { calls: [finish(0), finish(1)], done: [0] }, 'dispatch 1'],

  // Children.
  ['a child that was not started', { calls: [subagent(0)] }, 'dispatch 0'],
  [
    'a child that runs',
    { calls: [subagent(0)], children: [[0, sameStore(running)]] },
    'dispatch 0',
  ],
  [
    'a child that has ended and is not collected',
    { calls: [subagent(0)], children: [[0, sameStore(completed)]] },
    'dispatch 0',
  ],
  [
    'a child that waits for a person',
    { calls: [subagent(0)], rows: [open], children: [[0, sameStore(suspended, [open])]] },
    'suspend',
  ],
  [
    'a child whose call was answered',
    { calls: [subagent(0)], rows: [answered], children: [[0, sameStore(suspended, [answered])]] },
    'dispatch 0',
  ],
  [
    'a child that waits beside one that was answered',
    {
      calls: [subagent(0), subagent(1)],
      children: [
        [0, sameStore(suspended, [open])],
        [1, sameStore(suspended, [answered], 1)],
      ],
    },
    'dispatch 1',
  ],
  [
    'a child that cannot be reached',
    { calls: [subagent(0)], children: [[0, unreachable([open])]] },
    'dispatch 0',
  ],
  ['a collected child', { calls: [subagent(0)], done: [0] }, 'commit'],
];

describe('decideStep', () => {
  it.each(SITUATIONS)('%s', (_, situation, expected) => {
    expect(decided(situation)).toBe(expected);
  });

  it('keeps results in call order, answers among them', () => {
    const decision = decideStep(
      rowsOf({
        calls: [client(0), server(1)],
        done: [1],
        rows: [row(0, 'answered', { outcome: 'answered' })],
      }),
    );
    expect(decision).toMatchObject({
      kind: 'commit',
      results: [{ outcome: { value: 'answer' } }, { outcome: { value: 1 } }],
    });
  });
});

const failedChild = childSession({
  status: 'suspended_client_tool',
  error: { code: 'run_failed', message: 'It failed.' },
});

const CHILDREN: readonly (readonly [string, ChildView, boolean])[] = [
  ['does not exist', sameStore(null), false],
  ['runs', sameStore(running), false],
  ['was interrupted', sameStore(childSession({ status: 'interrupted' })), false],
  ['has ended', sameStore(completed), false],
  ['is suspended, its call open', sameStore(suspended, [open]), true],
  ['is suspended, its call answered', sameStore(suspended, [answered]), false],
  ['is suspended, its call settled', sameStore(suspended, [settled]), true],
  ['failed by itself, in the same store', sameStore(failedChild, [open]), false],
  [
    'is suspended in its own store, its open call known here',
    ownStore(suspended, [open], [open]),
    true,
  ],
  [
    'is suspended in its own store, its open call not known here',
    ownStore(suspended, [], [open]),
    false,
  ],
  [
    'is suspended in its own store, its call answered here',
    ownStore(suspended, [answered], [open]),
    false,
  ],
  [
    'failed by itself in its own store, a call open here',
    ownStore(failedChild, [open], [open]),
    true,
  ],
  ['failed by itself in its own store, no call open here', ownStore(failedChild), false],
  ['cannot be reached', unreachable([open]), false],
];

describe('childWaits: a child waits for a person', () => {
  it.each(CHILDREN)('a child that %s: %#', (_, child, expected) => {
    expect(childWaits(child)).toBe(expected);
  });
});

function rowsOf({
  calls,
  done = [],
  rows = [],
  children = [],
}: Situation): Parameters<typeof decideStep>[0] {
  return {
    session: session(),
    plan: record(calls),
    results: results(...done),
    calls: rows,
    childViews: new Map(children),
    describe: describeError,
  };
}

/** The decision as text: what is dispatched, and which answers the next commit takes in. */
function decided(situation: Situation): string {
  const decision = decideStep(rowsOf(situation));
  if (decision.kind === 'dispatch')
    return `dispatch ${decision.calls.map(({ index }) => index).join(' ')}`;
  const accepted = decision.accepted.map(({ call: { index } }) => index);
  return accepted.length > 0 ? `${decision.kind}, accepting ${accepted.join(' ')}` : decision.kind;
}
