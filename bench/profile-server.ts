// `node --conditions=@helix-agents/source bench/profile-server.ts <postgres|redis> <step|call> [sessions] [rounds]`: what a step costs
// beside raw in CPU time and in bytes of the server's log, and what a turn asks of the server.
import { benchAgent, STEPS, steppingModel } from './lib/agents.ts';
import { executorFor, freshId, runTurn } from './lib/executors.ts';
import { interleave, round, WARM_UP, type Round, type Sample } from './lib/measure.ts';
import { postgresPlace } from './lib/postgres.ts';
import { rawTurn } from './lib/raw-turn.ts';
import { redisPlace } from './lib/redis.ts';
import type { ServerPlace } from './lib/server-place.ts';
import { storeTurn } from './lib/store-turn.ts';
import { watchServer, type Requests } from './lib/watch-server.ts';

const [server = 'postgres', mode = 'step', many = '1', count = '20'] = process.argv.slice(2);
const durability = mode === 'call' ? 'call' : 'step';
const sessions = Number(many);
const rounds = Number(count);
const agent = benchAgent('profiled', durability);
const place = await (server === 'redis'
  ? redisPlace('everysec')
  : postgresPlace({ name: 'postgres', prepared: true, synchronousCommit: 'on' }));
const stores = place.open();
const executor = executorFor(stores, steppingModel(STEPS), agent);
const turn = (): Promise<void> => runTurn(executor, agent);

console.log(`${place.name}, ${durability}, ${sessions} at once: per step`);
await compare(place);
await list();
stores.close();
await place.close();

function steps(turnsOfEach: number): number {
  return turnsOfEach * sessions * (STEPS + 1);
}

function together(one: (id: string) => Promise<void>): Round {
  return async () => {
    await Promise.all(Array.from({ length: sessions }, () => one(freshId())));
  };
}

async function compare({ raw, serverClock, bytesWritten }: ServerPlace): Promise<void> {
  const bytes = { raw: 0, store: 0, ours: 0 };
  const counting = (name: keyof typeof bytes, work: Round): Round => {
    return async () => {
      const before = await bytesWritten();
      await work();
      bytes[name] += (await bytesWritten()) - before;
    };
  };
  const contenders = {
    raw: counting(
      'raw',
      together((id) => rawTurn(raw, id, durability === 'call' ? 2 : 1)),
    ),
    store: counting(
      'store',
      together((id) => storeTurn(stores.stateStore.sessions, id)),
    ),
    ours: counting('ours', together(turn)),
  };
  const samples = await interleave(rounds, contenders, serverClock);
  const mean = (own: readonly Sample[], pick: (one: Sample) => number): string =>
    round((1000 * own.reduce((sum, one) => sum + pick(one), 0)) / steps(own.length), 0);
  for (const [name, own] of Object.entries(samples)) {
    const written = bytes[name as keyof typeof bytes] / steps(own.length + WARM_UP);
    console.log(
      `  ${name.padEnd(6)} ${mean(own, ({ wallMs }) => wallMs)} µs by the clock, CPU ${mean(own, ({ cpuMs }) => cpuMs)} µs here and ${mean(own, ({ serverMs }) => serverMs)} µs in the server, ${round(written, 0)} bytes`,
    );
  }
}

async function list(): Promise<void> {
  const requests = new Map<string, Requests>();
  const stop = watchServer(requests);
  for (let done = 0; done < rounds; done += 1) await together(turn)();
  stop();
  console.log('\nper turn of 21 steps, by request');
  const turns = rounds * sessions;
  for (const [text, one] of [...requests].toSorted(([, a], [, b]) => b.ms - a.ms)) {
    const figures = [
      `${(one.count / turns).toFixed(2).padStart(6)} ×`,
      `${(one.ms / one.count).toFixed(2).padStart(7)} ms`,
      `${round(one.sent / one.count, 0).padStart(7)} sent`,
    ];
    console.log(`${figures.join('  ')}  ${text.replaceAll(/\s+/g, ' ').slice(0, 110)}`);
  }
}
