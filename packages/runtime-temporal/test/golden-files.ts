import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { LOOP_VERSION } from '@helix-agents/core/host';
import { temporal } from '@temporalio/proto';
import type { Client } from '@temporalio/client';

/** `UPDATE_GOLDEN=1` records the histories of the scenarios that run; a new order of operations has a new LOOP_VERSION. */
export const isRecording: boolean = process.env['UPDATE_GOLDEN'] === '1';

const { History } = temporal.api.history.v1;
export type GoldenHistory = temporal.api.history.v1.IHistory;

export interface Golden {
  readonly scenario: string;
  readonly workflowId: string;
  readonly history: GoldenHistory;
}

/** Some scenarios try a hundred moments; they differ in what the store says, hardly in what workflows do. */
const MAX_PER_SCENARIO = 10;
const folder = new URL('fixtures/histories/', import.meta.url).pathname;
const recorded: Packed[] = [];

/** Keeps what a scenario's workflows did, for `writeGoldens`. */
export async function recordGolden(
  client: Client,
  scenario: string,
  workflowIds: Iterable<string>,
): Promise<void> {
  for (const workflowId of [...workflowIds].slice(0, MAX_PER_SCENARIO)) {
    const history = await client.workflow.getHandle(workflowId).fetchHistory();
    for (const event of history.events ?? []) withoutMachine(event);
    const title = new TextEncoder().encode(JSON.stringify({ scenario, workflowId }));
    recorded.push({ title, history: History.encode(history).finish() });
  }
}

/** Where it was recorded is nobody's business, and takes room. */
function withoutMachine(event: object): void {
  for (const value of Object.values(event)) {
    if (typeof value !== 'object' || value === null) continue;
    if ('identity' in value && typeof value.identity === 'string') value.identity = '';
    if ('stackTrace' in value && typeof value.stackTrace === 'string') value.stackTrace = '';
    withoutMachine(value);
  }
}

/** What was recorded takes the place of what there was of the same scenarios. */
export function writeGoldens(): void {
  const again = new Set(recorded.map(({ title }) => scenarioOf(title)));
  const kept = packed().filter(({ title }) => !again.has(scenarioOf(title)));
  const parts = [...kept, ...recorded].flatMap(({ title, history }) => [title, history]);
  const bytes = parts.flatMap((part) => [lengthOf(part), part]);
  mkdirSync(folder, { recursive: true });
  const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_QUALITY]: 9 };
  const compressed = brotliCompressSync(Buffer.concat(bytes), { params });
  writeFileSync(`${folder}loop-${LOOP_VERSION}.br`, compressed);
}

function lengthOf(part: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(part.length);
  return bytes;
}

export function readGoldens(): Golden[] {
  return packed().map(({ title, history }) => ({
    ...(JSON.parse(new TextDecoder().decode(title)) as Omit<Golden, 'history'>),
    history: History.decode(history),
  }));
}

interface Packed {
  readonly title: Uint8Array;
  readonly history: Uint8Array;
}

function packed(): Packed[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((file) =>
    unpack(brotliDecompressSync(readFileSync(folder + file))),
  );
}

function unpack(bytes: Buffer): Packed[] {
  const found: Packed[] = [];
  let at = 0;
  const next = (): Buffer => {
    const length = bytes.readUInt32BE(at);
    at += 4 + length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) found.push({ title: next(), history: next() });
  return found;
}

function scenarioOf(title: Uint8Array): string {
  return (JSON.parse(new TextDecoder().decode(title)) as Golden).scenario;
}
