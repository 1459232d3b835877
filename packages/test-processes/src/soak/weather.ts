import { setTimeout as wait } from 'node:timers/promises';
import { terminateConnections, type PostgresServer } from '@helix-agents/test-servers';
import type { Chance } from '../chance.ts';
import type { Served } from './served.ts';

/** What was done to servers, database and connections, counted. */
export interface Damage {
  serverKills: number;
  serverStops: number;
  databaseKills: number;
  /** Connections to the database that its operator ended, and that a proxy cut. */
  backendsTerminated: number;
  databaseConnectionsCut: number;
  /** Connections of persons that a proxy cut. */
  personConnectionsCut: number;
  /** Replies that a proxy let the server or the database write and threw away. */
  repliesLost: number;
}

export interface WeatherOptions {
  readonly servers: readonly Served[];
  readonly database: PostgresServer;
  readonly url: string;
  readonly leaseMs: number;
  readonly random: Chance;
  readonly isOver: () => boolean;
  readonly onDamage: (damage: Damage) => void;
}

/** Three at once, so that one finds the other at work: against servers, the database and connections. Leaves all of it running. */
export async function makeWeather(options: WeatherOptions): Promise<Damage> {
  const damage: Damage = {
    serverKills: 0,
    serverStops: 0,
    databaseKills: 0,
    backendsTerminated: 0,
    databaseConnectionsCut: 0,
    personConnectionsCut: 0,
    repliesLost: 0,
  };
  await Promise.all([
    keepOn(options, damage, serverFaults(options, damage), 2_500),
    keepOn(options, damage, [databaseFault(options, damage)], 9_000),
    keepOn(options, damage, connectionFaults(options, damage), 700),
  ]);
  for (const { connections } of options.servers) {
    damage.repliesLost += connections.persons.lost + connections.database.lost;
  }
  return damage;
}

type Fault = () => Promise<void>;

/** Each fault in turn, in an order of chance; at least all of them once. */
async function keepOn(
  { isOver, random, onDamage }: WeatherOptions,
  damage: Damage,
  faults: readonly Fault[],
  pauseMs: number,
): Promise<void> {
  do {
    const order = faults.map((fault) => ({ fault, at: random() })).sort((a, b) => a.at - b.at);
    for (const { fault } of order) {
      await wait(pauseMs * (0.4 + 1.2 * random()));
      await fault();
      onDamage(damage);
    }
  } while (!isOver());
}

function serverFaults({ servers, leaseMs, random }: WeatherOptions, damage: Damage): Fault[] {
  const kills = servers.map((server) => async () => {
    await server.kill();
    damage.serverKills += 1;
  });
  const stops = servers.map((server) => async () => {
    await server.stopFor(leaseMs * (1.2 + 2 * random()));
    damage.serverStops += 1;
  });
  return [...kills, ...stops];
}

/** Down for a moment or for longer than a lease. */
function databaseFault({ database, leaseMs, random }: WeatherOptions, damage: Damage): Fault {
  return async () => {
    await database.kill();
    await wait(leaseMs * 2 * random());
    await database.restart();
    damage.databaseKills += 1;
  };
}

function connectionFaults(options: WeatherOptions, damage: Damage): Fault[] {
  const { servers, url, random } = options;
  const terminate = async (): Promise<void> => {
    // The database may be down just now: then there are none.
    damage.backendsTerminated += await terminateConnections(url, random()).catch(() => 0);
  };
  const cuts = servers.flatMap(({ connections }) => [
    async () => void (damage.databaseConnectionsCut += connections.database.cutAll()),
    async () => void (damage.personConnectionsCut += connections.persons.cutAll()),
  ]);
  const losses = servers.flatMap(({ connections }) => [
    () => loseSome(connections.database, 20 + Math.floor(80 * random())),
    () => loseSome(connections.persons, 3 + Math.floor(10 * random())),
  ]);
  return [terminate, ...cuts, ...losses];
}

/** For a second every so many replies are lost. */
async function loseSome(proxy: Served['connections']['persons'], every: number): Promise<void> {
  proxy.loseEvery(every);
  await wait(1_000);
  proxy.loseEvery(0);
}
