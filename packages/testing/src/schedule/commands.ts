import fc from 'fast-check';
import type { StoreFault } from '../world/fault-line.ts';

/** One thing that happens from outside. `after`: how many steps of the simulation go by first. */
export type Command = Place & (Request | Disturbance);

export interface Place {
  readonly after: number;
  readonly root: number;
  readonly process: number;
}

/** What people and programs ask for. */
export type Request =
  | { readonly kind: 'execute'; readonly supersede: boolean }
  | { readonly kind: 'submit'; readonly call: number; readonly how: SubmitHow }
  | { readonly kind: 'resubmit'; readonly submission: number }
  | { readonly kind: 'resume' }
  | { readonly kind: 'resume-twice' }
  | { readonly kind: 'retry' }
  | { readonly kind: 'interrupt' }
  | { readonly kind: 'abort' }
  | { readonly kind: 'sweep' }
  | { readonly kind: 'read' };

type LostCall = Exclude<StoreFault, 'pass'>;

/** What goes wrong. */
export type Disturbance =
  | { readonly kind: 'kill' }
  | { readonly kind: 'shutdown' }
  | { readonly kind: 'pause' }
  | { readonly kind: 'continue' }
  | { readonly kind: 'jump'; readonly by: Jump }
  | { readonly kind: 'store-fault'; readonly fault: LostCall; readonly count: number }
  | { readonly kind: 'model-fault'; readonly fault: 'retryable' | 'final' };

const DISTURBANCES: Readonly<Record<Disturbance['kind'], true>> = {
  kill: true,
  shutdown: true,
  pause: true,
  continue: true,
  jump: true,
  'store-fault': true,
  'model-fault': true,
};

export function isDisturbance(command: Request | Disturbance): command is Disturbance {
  return Object.hasOwn(DISTURBANCES, command.kind);
}

export type SubmitHow =
  | 'right'
  | 'wrong-kind'
  | 'wrong-value'
  | 'error'
  | 'deny'
  | 'edit'
  | 'unknown-call';
export type Jump = 'little' | 'lease' | 'deadline' | 'week';

/** A whole schedule: what fast-check makes, prints and shrinks. */
export interface Schedule {
  readonly seed: number;
  readonly roots: number;
  readonly durability: 'call' | 'step';
  readonly strategy: number;
  readonly commands: readonly Command[];
}

const place = {
  after: fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 0, max: 40 }) },
    { weight: 3, arbitrary: fc.integer({ min: 40, max: 300 }) },
  ),
  root: fc.integer({ min: 0, max: 3 }),
  process: fc.integer({ min: 0, max: 2 }),
};

const calm: fc.WeightedArbitrary<Command>[] = [
  {
    weight: 4,
    arbitrary: fc.record({
      ...place,
      kind: fc.constant('execute' as const),
      supersede: fc.boolean(),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      ...place,
      kind: fc.constant('submit' as const),
      call: fc.integer({ min: 0, max: 7 }),
      how: fc.constantFrom<SubmitHow>(
        'right',
        'right',
        'right',
        'right',
        'wrong-kind',
        'wrong-value',
        'error',
        'deny',
        'edit',
        'unknown-call',
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      ...place,
      kind: fc.constant('resubmit' as const),
      submission: fc.integer({ min: 0, max: 7 }),
    }),
  },
  { weight: 8, arbitrary: fc.record({ ...place, kind: fc.constant('resume' as const) }) },
  { weight: 3, arbitrary: fc.record({ ...place, kind: fc.constant('resume-twice' as const) }) },
  { weight: 2, arbitrary: fc.record({ ...place, kind: fc.constant('retry' as const) }) },
  { weight: 5, arbitrary: fc.record({ ...place, kind: fc.constant('interrupt' as const) }) },
  { weight: 1, arbitrary: fc.record({ ...place, kind: fc.constant('abort' as const) }) },
  { weight: 2, arbitrary: fc.record({ ...place, kind: fc.constant('sweep' as const) }) },
  { weight: 2, arbitrary: fc.record({ ...place, kind: fc.constant('read' as const) }) },
];

const hostile: fc.WeightedArbitrary<Command>[] = [
  { weight: 3, arbitrary: fc.record({ ...place, kind: fc.constant('kill' as const) }) },
  { weight: 2, arbitrary: fc.record({ ...place, kind: fc.constant('shutdown' as const) }) },
  { weight: 3, arbitrary: fc.record({ ...place, kind: fc.constant('pause' as const) }) },
  { weight: 2, arbitrary: fc.record({ ...place, kind: fc.constant('continue' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      ...place,
      kind: fc.constant('jump' as const),
      by: fc.constantFrom<Jump>('little', 'lease', 'lease', 'lease', 'deadline', 'week'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      ...place,
      kind: fc.constant('store-fault' as const),
      fault: fc.constantFrom<LostCall[]>('fail-before', 'fail-after'),
      count: fc.oneof(
        { weight: 4, arbitrary: fc.integer({ min: 1, max: 3 }) },
        { weight: 1, arbitrary: fc.integer({ min: 4, max: 24 }) },
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      ...place,
      kind: fc.constant('model-fault' as const),
      fault: fc.constantFrom('retryable' as const, 'final' as const),
    }),
  },
];

/** Schedules with every kind of fault, or with none. */
export function scheduleArbitrary(options: { readonly faults: boolean }): fc.Arbitrary<Schedule> {
  const command = fc.oneof(...calm, ...(options.faults ? hostile : []));
  return fc.record({
    seed: fc.noShrink(fc.noBias(fc.nat())),
    roots: fc.integer({ min: 1, max: 2 }),
    durability: fc.constantFrom('call' as const, 'call' as const, 'call' as const, 'step' as const),
    strategy: fc.noBias(fc.nat({ max: 4 })),
    commands: fc.array(command, { minLength: 4, maxLength: 30, size: 'max' }),
  });
}
