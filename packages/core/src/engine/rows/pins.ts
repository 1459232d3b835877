/**
 * What is pinned to a session: bytes of its prompts that came from outside. Rows of step 0 of the journal: steps count from 1,
 * so no commit of a step deletes them, and the key of a row is taken once.
 */
import type { CapabilityPin, JournalRow, SessionRef, SessionRow } from '../../store/rows.ts';
import type { SessionStore } from '../../store/session-store.ts';

export const PIN_STEP = 0;

export interface Pins {
  readonly byCapability: ReadonlyMap<string, CapabilityPin>;
  /** The index of the next row. */
  readonly next: number;
}

export const NO_PINS: Pins = { byCapability: new Map(), next: 0 };

export async function readPins(store: SessionStore, ref: SessionRef): Promise<Pins> {
  const rows = await store.readJournal(ref, PIN_STEP);
  return withPins(
    NO_PINS,
    rows.flatMap((row) => (row.kind === 'pin' ? [row.data] : [])),
  );
}

/** The first pin that says something counts. */
export function withPins(pins: Pins, added: readonly CapabilityPin[]): Pins {
  const byCapability = new Map(pins.byCapability);
  for (const pin of added)
    byCapability.set(pin.capability, { ...pin, ...byCapability.get(pin.capability) });
  return { byCapability, next: pins.next + added.length };
}

export function pinRows(
  { sessionId }: Pick<SessionRow, 'sessionId'>,
  first: number,
  pins: readonly CapabilityPin[],
  createdAt: number,
): JournalRow[] {
  return pins.map((data, place) => ({
    sessionId,
    stepId: PIN_STEP,
    index: first + place,
    kind: 'pin',
    data,
    createdAt,
  }));
}
