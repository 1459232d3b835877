/** One line of the report. */
export interface Result {
  readonly case: string;
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly target?: Target;
  /** What it was compared with, and other figures of the same rounds. */
  readonly detail: string;
}

export type Target = { readonly atLeast: number } | { readonly atMost: number };

export interface BenchOptions {
  readonly quick: boolean;
  /** Shows what is being done. */
  readonly progress: (text: string) => void;
}

export interface BenchCase {
  readonly name: string;
  readonly run: (options: BenchOptions) => Promise<readonly Result[]>;
}

export interface Sample {
  readonly wallMs: number;
  /** Time this process computed, so that what others do on the machine does not count. */
  readonly cpuMs: number;
  /** The same of the server, where there is one. */
  readonly serverMs: number;
}

/** How long a server has computed so far, in milliseconds. */
export type ServerClock = () => number;

export type Round = () => Promise<void>;

/** Rounds before the first that counts. */
export const WARM_UP = 3;

/** Runs every contender once per round, in turn, so that a slow moment of the machine hits all of them. */
export async function interleave<Name extends string>(
  rounds: number,
  contenders: Readonly<Record<Name, Round>>,
  serverClock?: ServerClock,
): Promise<Record<Name, Sample[]>> {
  const names = Object.keys(contenders) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as Sample[]])) as Record<
    Name,
    Sample[]
  >;
  for (let warm = 0; warm < WARM_UP; warm += 1) {
    for (const name of names) await contenders[name]();
  }
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? names : names.toReversed();
    for (const name of order) samples[name].push(await sample(contenders[name], serverClock));
  }
  return samples;
}

export async function sample(work: Round, serverClock: ServerClock = () => 0): Promise<Sample> {
  const server = serverClock();
  const cpu = process.cpuUsage();
  const start = performance.now();
  await work();
  const wallMs = performance.now() - start;
  const used = process.cpuUsage(cpu);
  return { wallMs, cpuMs: (used.user + used.system) / 1000, serverMs: serverClock() - server };
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function wall(samples: readonly Sample[]): number {
  return median(samples.map((one) => one.wallMs));
}

export function cpu(samples: readonly Sample[]): number {
  return median(samples.map((one) => one.cpuMs));
}

export function serverCpu(samples: readonly Sample[]): number {
  return median(samples.map((one) => one.serverMs));
}

/** Median of the ratios of each round, not the ratio of medians: both sides of a ratio saw the same machine. */
export function ratio(over: readonly Sample[], under: readonly Sample[]): number {
  return median(over.map((one, index) => one.wallMs / (under[index]?.wallMs ?? Number.NaN)));
}

export function isMet(result: Result): boolean | null {
  if (!result.target) return null;
  return 'atLeast' in result.target
    ? result.value >= result.target.atLeast
    : result.value <= result.target.atMost;
}

export function round(value: number, digits = 2): string {
  return value.toLocaleString('en-US', {
    maximumFractionDigits: Math.abs(value) >= 100 ? 0 : digits,
  });
}
