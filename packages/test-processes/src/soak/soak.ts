import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createPostgresDatabase, startPostgres } from '@helix-agents/test-servers';
import { chance } from '../chance.ts';
import type { StoreAddress } from '../store-address.ts';
import { checkSoak, type SoakReport } from './check-soak.ts';
import { Person } from './person.ts';
import { newSaid } from './said.ts';
import { startServed, type Served } from './served.ts';
import { makeWeather, type Damage } from './weather.ts';

const SERVERS = 2;
const LEASE_MS = 1_000;
/** With nothing wrong any more, a session that does not move for so long is stuck. */
const STUCK_AFTER_MS = 120_000;

export interface SoakOptions {
  /** How a process opens the Postgres database at a URL. */
  readonly addressOf: (url: string) => StoreAddress;
  readonly seconds: number;
  /** Sessions that ask for approvals; a fifth as many more ask through a sub-agent. */
  readonly sessions: number;
  readonly seed: number;
  readonly onProgress?: (progress: SoakProgress) => void;
}

export interface SoakProgress {
  readonly seconds: number;
  readonly damage: Damage;
  readonly answers: number;
}

/**
 * Persons talk over HTTP with two servers on one Postgres while servers, database and connections are killed, stopped
 * and cut. Then servers that start anew have to finish every session by their sweeps, and all that was said is looked for.
 */
export async function soak(options: SoakOptions): Promise<SoakReport> {
  const folder = mkdtempSync(join(tmpdir(), 'helix-soak-'));
  const ledger = join(folder, 'ledger.jsonl');
  const database = await startPostgres({ fsync: true });
  const servers: Served[] = [];
  const said = newSaid();
  try {
    const { url } = await createPostgresDatabase(database.url);
    const onDeath = (why: string): void => void said.faults.push(why);
    const { addressOf } = options;
    for (let count = 0; count < SERVERS; count += 1) {
      const own = { url, addressOf, ledger, leaseMs: LEASE_MS, onDeath };
      servers.push(await startServed(own));
    }
    let mood: 'talk' | 'finish' = 'talk';
    const people = peopleFor(options, { servers, said, mood: () => mood });
    const stuck = new AbortController();
    const lives = Promise.all(people.map((person) => person.live(stuck.signal)));
    const damage = await weatherFor(options, { servers, database, url }, () => said.answers.length);
    mood = 'finish';
    // What they knew is gone: sweeps have the store alone to go by.
    await Promise.all(servers.map((server) => server.kill()));
    await Promise.race([lives, untilStuck(people)]);
    stuck.abort();
    await lives;
    const sessionIds = people.map((person) => person.sessionId);
    return await checkSoak({ address: addressOf(url), ledger, sessionIds, said, damage });
  } finally {
    await Promise.all(servers.map((server) => server.close()));
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function peopleFor(
  { sessions, seed }: SoakOptions,
  around: Pick<ConstructorParameters<typeof Person>[0], 'said' | 'mood'> & {
    readonly servers: readonly Served[];
  },
): Person[] {
  const clients = around.servers.map((server) => server.client);
  const nested = Math.ceil(sessions / 5);
  return Array.from({ length: sessions + nested }, (_, index) => {
    const agentType = index < sessions ? 'mixed' : 'nested';
    const random = chance(seed * 1_000 + index);
    return new Person({ ...around, sessionId: `s${index + 1}`, agentType, clients, random });
  });
}

function weatherFor(
  { seconds, seed, onProgress }: SoakOptions,
  parts: Pick<Parameters<typeof makeWeather>[0], 'servers' | 'database' | 'url'>,
  answers: () => number,
): Promise<Damage> {
  const began = Date.now();
  const passed = (): number => (Date.now() - began) / 1_000;
  return makeWeather({
    ...parts,
    leaseMs: LEASE_MS,
    random: chance(seed),
    isOver: () => passed() >= seconds,
    onDamage: (damage) => onProgress?.({ seconds: passed(), damage, answers: answers() }),
  });
}

/** Resolves when no further session has ended for too long. */
async function untilStuck(people: readonly Person[]): Promise<void> {
  let [over, since] = [-1, Date.now()];
  while (Date.now() - since < STUCK_AFTER_MS && over < people.length) {
    const now = people.filter((person) => person.isOver).length;
    if (now !== over) [over, since] = [now, Date.now()];
    await wait(500);
  }
}
