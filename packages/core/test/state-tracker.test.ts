import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyWrites, mergeWrites } from '../src/state/apply-writes.ts';
import { HelixError, ImmerStateTracker, type JsonPatch, type JsonValue } from '../src/index.ts';
import type { StateWrite } from '../src/state/state-write.ts';

interface State {
  n: number;
  tags: string[];
  items: { id: number; done: boolean; notes: string[] }[];
  meta: { [key: string]: unknown };
}

const initial = (): State => ({
  n: 0,
  tags: ['a'],
  items: [
    { id: 1, done: false, notes: [] },
    { id: 2, done: false, notes: [] },
  ],
  meta: { owner: 'x' },
});

function writesOf(
  options: { arrayDeltaMode?: boolean },
  ...changes: ((draft: State) => void)[]
): StateWrite[] {
  const tracker = new ImmerStateTracker(initial(), options);
  for (const change of changes) tracker.update(change);
  const writes = tracker.getStepWrites();
  expect(applyWrites(asJson(initial()), writes)).toEqual(asJson(tracker.getState()));
  return writes;
}

const asJson = (value: unknown): JsonValue => JSON.parse(JSON.stringify(value));
const delta = { arrayDeltaMode: true };

describe('ImmerStateTracker in array delta mode', () => {
  it('turns a push into an append', () => {
    expect(writesOf(delta, (d) => d.tags.push('b', 'c'))).toEqual([
      { op: 'append', path: ['tags'], values: ['b', 'c'] },
    ]);
  });

  it('joins the pushes of several updates', () => {
    expect(
      writesOf(
        delta,
        (d) => void d.tags.push('b'),
        (d) => void d.tags.push('c'),
      ),
    ).toEqual([{ op: 'append', path: ['tags'], values: ['b', 'c'] }]);
  });

  it('appends a pushed element as it is in the end', () => {
    const writes = writesOf(
      delta,
      (d) => void d.items.push({ id: 3, done: false, notes: [] }),
      (d) => {
        d.items[2]!.done = true;
      },
      (d) => void d.items[2]!.notes.push('late'),
    );
    expect(writes).toEqual([
      { op: 'append', path: ['items'], values: [{ id: 3, done: true, notes: ['late'] }] },
    ]);
  });

  it('appends to an array inside an element', () => {
    expect(writesOf(delta, (d) => void d.items[1]!.notes.push('hm'))).toEqual([
      { op: 'append', path: ['items', 1, 'notes'], values: ['hm'] },
    ]);
  });

  it('keeps a change inside an element beside a push', () => {
    const writes = writesOf(delta, (d) => {
      d.items[0]!.done = true;
      d.items.push({ id: 3, done: false, notes: [] });
    });
    expect(writes).toEqual([
      { op: 'set', path: ['items', 0, 'done'], value: true },
      { op: 'append', path: ['items'], values: [{ id: 3, done: false, notes: [] }] },
    ]);
  });

  it('sets the whole array for any other change of it', () => {
    const changes: ((draft: State) => void)[] = [
      (d) => void d.items.shift(),
      (d) => void d.items.unshift({ id: 0, done: false, notes: [] }),
      (d) => void d.items.reverse(),
      (d) => void d.items.splice(1, 0, { id: 9, done: true, notes: [] }),
      (d) => {
        d.items[0] = { id: 7, done: false, notes: [] };
      },
      (d) => {
        d.items.length = 0;
      },
      (d) => {
        d.items.shift();
        d.items.push({ id: 3, done: false, notes: [] });
        d.items[0]!.done = true;
      },
    ];
    for (const change of changes) {
      const writes = writesOf(delta, change);
      expect(writes).toHaveLength(1);
      expect(writes[0]).toMatchObject({ op: 'set', path: ['items'] });
    }
  });

  it('tells an assigned array from a grown one', () => {
    const assign: ((draft: State) => void)[] = [
      (d) => {
        d.tags = [...d.tags, 'b'];
      },
    ];
    expect(writesOf(delta, ...assign)).toEqual([{ op: 'set', path: ['tags'], value: ['a', 'b'] }]);
    expect(writesOf(delta, ...assign, (d) => void d.tags.push('c'))).toEqual([
      { op: 'set', path: ['tags'], value: ['a', 'b', 'c'] },
    ]);
  });

  it('lets parallel pushes compose and parallel assignments replace', () => {
    const base = asJson({ tags: [] });
    const branch = (change: (draft: { tags: string[] }) => void): StateWrite[] => {
      const tracker = new ImmerStateTracker({ tags: [] as string[] }, delta);
      tracker.update(change);
      return tracker.getStepWrites();
    };
    const push = (tag: string): StateWrite[] => branch((d) => void d.tags.push(tag));
    const assign = (tag: string): StateWrite[] => branch((d) => (d.tags = [tag]));
    expect(mergeWrites(base, [push('x'), push('y')])).toEqual({ tags: ['x', 'y'] });
    expect(mergeWrites(base, [assign('x'), assign('y')])).toEqual({ tags: ['y'] });
  });
});

describe('ImmerStateTracker without array deltas', () => {
  it('sets the whole array for a push', () => {
    expect(writesOf({}, (d) => void d.tags.push('b'))).toEqual([
      { op: 'set', path: ['tags'], value: ['a', 'b'] },
    ]);
  });

  it('still writes inside elements by path', () => {
    expect(
      writesOf({}, (d) => {
        d.items[0]!.done = true;
      }),
    ).toEqual([{ op: 'set', path: ['items', 0, 'done'], value: true }]);
  });
});

describe('ImmerStateTracker', () => {
  it('writes and removes keys', () => {
    const writes = writesOf(delta, (d) => {
      d.n += 1;
      delete d.meta.owner;
      d.meta.color = 'red';
    });
    expect(writes).toEqual([
      { op: 'set', path: ['n'], value: 1 },
      { op: 'remove', path: ['meta', 'owner'] },
      { op: 'set', path: ['meta', 'color'], value: 'red' },
    ]);
  });

  it('takes undefined for absent', () => {
    expect(
      writesOf(delta, (d) => {
        d.meta.owner = undefined;
        d.meta.other = undefined;
      }),
    ).toEqual([{ op: 'remove', path: ['meta', 'owner'] }]);
  });

  it('writes nothing for a change that was taken back', () => {
    const writes = writesOf(
      delta,
      (d) => void d.tags.push('b'),
      (d) => void d.tags.pop(),
      (d) => (d.n = 5),
      (d) => (d.n = 0),
    );
    expect(writes).toEqual([]);
  });

  it('ignores what the function returns', () => {
    const tracker = new ImmerStateTracker(initial(), delta);
    tracker.update((d) => d.tags.push('b'));
    tracker.update((d) => (d.n = 3));
    expect(tracker.getState()).toMatchObject({ n: 3, tags: ['a', 'b'] });
  });

  it('forgets what was reset and goes on from there', () => {
    const tracker = new ImmerStateTracker(initial(), delta);
    tracker.update((d) => (d.tags = ['z']));
    tracker.resetTracking();
    expect(tracker.getStepWrites()).toEqual([]);
    tracker.update((d) => d.tags.push('y'));
    expect(tracker.getStepWrites()).toEqual([{ op: 'append', path: ['tags'], values: ['y'] }]);
  });

  it('hands out state that cannot be changed by hand', () => {
    const tracker = new ImmerStateTracker(initial());
    expect(() => tracker.getState().tags.push('x')).toThrow(TypeError);
    tracker.update((d) => d.n++);
    expect(() => tracker.getState().items[0]!.notes.push('x')).toThrow(TypeError);
  });

  it('changes nothing when an update throws, waits or stores what is no plain data', () => {
    const tracker = new ImmerStateTracker(initial());
    const broken: ((draft: State) => unknown)[] = [
      (d) => {
        d.n = 9;
        throw new Error('stop');
      },
      async (d) => {
        d.n = 9;
        await Promise.resolve();
        d.n = 10;
      },
      (d) => {
        d.n = 9;
        d.meta.big = 1n;
      },
      (d) => {
        d.n = 9;
        d.meta.run = () => 1;
      },
    ];
    for (const change of broken) {
      expect(() => tracker.update(change)).toThrow();
      expect(tracker.getState()).toEqual(initial());
      expect(tracker.getStepWrites()).toEqual([]);
    }
    expect(() => tracker.update(broken[2]!)).toThrow(HelixError);
    expect(() => tracker.update(broken[2]!)).toThrow('state.meta.big');
  });

  it('speaks RFC 6902', () => {
    const tracker = new ImmerStateTracker(initial(), delta);
    tracker.update((d) => {
      d.n = 1;
      d.tags.push('b', 'c');
      delete d.meta.owner;
      d.meta['a/b~c'] = 1;
      d.items[0]!.done = true;
    });
    expect(tracker.getRFC6902Patches()).toEqual([
      { op: 'replace', path: '/n', value: 1 },
      { op: 'add', path: '/tags/-', value: 'b' },
      { op: 'add', path: '/tags/-', value: 'c' },
      { op: 'replace', path: '/items/0/done', value: true },
      { op: 'remove', path: '/meta/owner' },
      { op: 'add', path: '/meta/a~1b~0c', value: 1 },
    ] satisfies JsonPatch[]);
  });

  it('keeps its writes and patches true to the state whatever is done to it', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.array(fc.array(change, { maxLength: 4 })), (mode, updates) => {
        const tracker = new ImmerStateTracker(initial(), { arrayDeltaMode: mode });
        for (const changes of updates) {
          tracker.update((draft) => {
            for (const apply of changes) apply(draft);
          });
        }
        const writes = tracker.getStepWrites();
        const now = asJson(tracker.getState());
        expect(applyWrites(asJson(initial()), writes)).toEqual(now);
        expect(patched(asJson(initial()), tracker.getRFC6902Patches())).toEqual(now);
        if (!mode) expect(writes.every((write) => write.op !== 'append')).toBe(true);
      }),
    );
  });
});

const place = fc.nat(5);
const change: fc.Arbitrary<(draft: State) => void> = fc.oneof(
  fc.nat().map((n) => (d: State) => void (d.n = n)),
  fc.string().map((tag) => (d: State) => void d.tags.push(tag)),
  fc.array(fc.string()).map((tags) => (d: State) => void (d.tags = tags)),
  fc.nat().map((id) => (d: State) => void d.items.push({ id, done: false, notes: [] })),
  fc.tuple(place, place).map(
    ([at, count]) =>
      (d: State) =>
        void d.items.splice(at, count),
  ),
  fc.constant((d: State) => void d.items.reverse()),
  fc.constant((d: State) => void d.items.sort((a, b) => a.id - b.id)),
  place.map((at) => (d: State) => {
    const item = d.items[at];
    if (item) item.done = !item.done;
  }),
  fc.tuple(place, fc.string()).map(
    ([at, note]) =>
      (d: State) =>
        void d.items[at]?.notes.push(note),
  ),
  fc.tuple(place, place).map(([from, to]) => (d: State) => {
    const item = d.items[from];
    if (item && to < d.items.length) d.items[to] = item;
  }),
  fc.tuple(fc.string(), fc.jsonValue()).map(([key, value]) => (d: State) => {
    if (key !== '__proto__') d.meta[key] = value;
  }),
  fc.string().map((key) => (d: State) => void delete d.meta[key]),
  place.map((at) => (d: State) => void (d.meta.alias = d.items[at])),
);

/** A reader's own RFC 6902, kept apart from the code under test. */
function patched(state: JsonValue, patches: readonly JsonPatch[]): JsonValue {
  const root = { '': structuredClone(state) } as Record<string, unknown>;
  for (const patch of patches) {
    const keys = patch.path
      .split('/')
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = keys.pop() as string;
    let parent: unknown = keys.length === 0 ? root : root[''];
    for (const key of keys.slice(1)) parent = (parent as Record<string, unknown>)[key];
    const target = parent as Record<string, unknown>;
    if (patch.op === 'remove') delete target[last];
    else if (Array.isArray(parent) && last === '-') parent.push(patch.value);
    else {
      expect(Object.hasOwn(target, last)).toBe(patch.op === 'replace');
      target[last] = patch.value;
    }
  }
  return root[''] as JsonValue;
}
