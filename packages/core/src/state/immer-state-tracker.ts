import { enablePatches, freeze, Immer } from 'immer';
import { HelixError } from '../errors/helix-error.ts';
import type { JsonValue } from '../json.ts';
import type { JsonPatch } from '../stream/chunks.ts';
import { toJsonValue } from '../util/to-json-value.ts';
import { diffState, toStateWrites, type RawWrite } from './diff-state.ts';
import { toJsonPatches } from './json-patch.ts';
import { refuseEndless } from './refuse-endless.ts';
import type { StatePath, StateWrite } from './state-write.ts';

const immer = immerWithPatches();
const NOTHING: ReadonlySet<string> = new Set();

/**
 * Custom state of one step and what changed in it.
 *
 * I1. `applyWrites(initial, getStepWrites())` is always the current state.
 * I2. A push and an assignment stay distinct: pushes compose with those of others, assignments replace.
 * I3. An update that throws, returns a promise or stores a value that is not plain data changes nothing.
 */
export class ImmerStateTracker<T = unknown> {
  #base: T;
  #current: T;
  #assigned: ReadonlySet<string> = NOTHING;
  readonly #arrayDeltas: boolean;

  constructor(initial: T, options: { readonly arrayDeltaMode?: boolean } = {}) {
    this.#base = freeze(initial, true);
    this.#current = this.#base;
    this.#arrayDeltas = options.arrayDeltaMode ?? false;
  }

  /** Frozen. */
  getState(): T {
    return this.#current;
  }

  /** `change` mutates the draft before it returns; what it returns is ignored. */
  update(change: (draft: T) => void): void {
    const assigned = new Set(this.#assigned);
    const [next, patches] = immer.produceWithPatches(this.#current, (draft) => {
      refusePromise(change(draft as T));
      refuseEndless(draft);
    });
    for (const patch of patches) if (patch.op !== 'remove') assigned.add(pathKey(patch.path));
    const changed = diffState(this.#current, next, { arrayDeltas: true, wasAssigned: () => false });
    toStateWrites(changed, toPlain);
    this.#current = next;
    this.#assigned = assigned;
  }

  /** All changes since the last reset, as plain data. No two of them touch the same place. */
  getStepWrites(): StateWrite[] {
    if (this.#current === this.#base) return [];
    return toStateWrites(this.#rawWrites(), toPlain);
  }

  /** The same as RFC 6902. */
  getRFC6902Patches(): JsonPatch[] {
    return toJsonPatches(this.#base, this.getStepWrites());
  }

  /** What was changed so far counts as committed. */
  resetTracking(): void {
    this.#base = this.#current;
    this.#assigned = NOTHING;
  }

  #rawWrites(): RawWrite[] {
    return diffState(this.#base, this.#current, {
      arrayDeltas: this.#arrayDeltas,
      wasAssigned: (path) => this.#assigned.has(pathKey(path)),
    });
  }
}

function immerWithPatches(): Immer {
  enablePatches();
  return new Immer({ autoFreeze: true });
}

function pathKey(path: StatePath): string {
  return JSON.stringify(path.map(String));
}

function toPlain(value: unknown, path: StatePath): JsonValue {
  const converted = toJsonValue(value);
  if (converted.ok) return converted.value;
  const inner = converted.path === '' ? [] : [converted.path];
  throw new HelixError({
    code: 'state_unserializable',
    message: `What was stored at ${['state', ...path, ...inner].join('.')} is no plain data (${converted.reason}); keep JSON values in the state.`,
  });
}

function refusePromise(result: unknown): void {
  if (typeof result !== 'object' || result === null || !('then' in result)) return;
  Promise.resolve(result).catch(() => {});
  throw new HelixError({
    code: 'state_invalid',
    message:
      'updateState takes a function that changes the draft at once; await first, then update.',
  });
}
