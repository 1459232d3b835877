// `npm run stress`: many random schedules over every world, on all cores, then a storm of real SIGKILLs.
//
//   npm run stress -- --seeds 2000             fewer schedules (20000 by default)
//   npm run stress -- --world memory           one world only: memory, sqlite, replay or split; or one over a real server,
//                                              postgres or redis, of which 200 are played by default, and nothing else
//   npm run stress -- --minutes 30             until the time is up, however many
//   npm run stress -- --world sqlite --seed 7 --path 12:3   plays one schedule again, as a failure prints it
//   npm run stress -- --storm 60               seconds of the kill storm (30 by default, 0: none)
//   npm run stress -- --requests 100000        odd requests to the server (20000 by default, 0: none), then as many that are
//                                              made of the schemas of its OpenAPI document; schemathesis attacks it by the
//                                              same document where it is installed
//   npm run stress -- --suites 0               leaves out the suites of which `npm test` takes a share: every scenario on Temporal
//                                              over Postgres and over Redis, deaths at every call on every store
//   npm run stress -- --soak 60                seconds of two servers on Postgres whose processes, database and connections are killed
//                                              and cut while fifty people talk with them (300 by default, 0: none)
//   npm run stress -- --serial 100000          answers in a row, one a minute (10000 by default, 0: none)
//
// Exits with 1 when a rule was broken or too little was seen to say anything.
import { fork, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  coverageGaps,
  describeFailure,
  emptyCoverage,
  mergeCoverage,
  runBatch,
} from '@helix-agents/testing';
import { createPostgresDatabase, serverCatalogue } from '@helix-agents/test-servers';
import { WORLD_NAMES, WORLDS } from '../packages/runtime-js/test/worlds.ts';
import { serialCalls } from '../packages/runtime-js/test/serial-calls.ts';
import { killStorm, soak } from '@helix-agents/test-processes';
import { openScheduleWorlds } from '../packages/store-postgres/test/worlds.ts';
import { openWorlds } from '../packages/store-redis/test/worlds.ts';
import {
  attackByDocument,
  fuzzByDocument,
  fuzzServer,
} from '../packages/agent-server/test/stress-server.ts';

/** Schedules per batch; each batch has a seed of its own. */
const BATCH = 50;
/** Of those that wait for a server. */
const SMALL_BATCH = 10;
const PROGRESS_MS = 5_000;

/** Worlds over a server that is started for them, and what each worker opens on it. */
const SERVER_WORLDS = {
  postgres: async (url) => openScheduleWorlds((await createPostgresDatabase(url)).url),
  redis: (url) => openWorlds(url, `stress-${process.pid}`),
};

if (process.send) serve();
else await main(readOptions());

function readOptions() {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string' },
      world: { type: 'string', multiple: true, default: [...WORLD_NAMES] },
      seed: { type: 'string', default: '1' },
      path: { type: 'string' },
      minutes: { type: 'string' },
      storm: { type: 'string' },
      soak: { type: 'string' },
      serial: { type: 'string' },
      requests: { type: 'string' },
      suites: { type: 'string' },
    },
  });
  const names = [...WORLD_NAMES, ...Object.keys(SERVER_WORLDS)];
  for (const name of values.world) {
    if (!names.includes(name)) throw new Error(`no world "${name}": ${names.join(', ')}`);
  }
  const onServers = values.world.every((name) => name in SERVER_WORLDS);
  const or = (value, usual) => Number(value ?? (onServers ? 0 : usual));
  return {
    ...values,
    seeds: Number(values.seeds ?? (onServers ? 200 : 20_000)),
    seed: Number(values.seed),
    minutes: values.minutes === undefined ? Infinity : Number(values.minutes),
    storm: or(values.storm, 30),
    soak: or(values.soak, 300),
    serial: or(values.serial, 10_000),
    requests: or(values.requests, 20_000),
    suites: or(values.suites, 1),
  };
}

async function main(options) {
  const servers = await startServers(options);
  let summary;
  try {
    if (options.path !== undefined) {
      process.exitCode = await playAgain(options, servers);
      return;
    }
    summary = await playAll(options, servers);
  } finally {
    for (const server of servers.values()) await server.stop();
  }
  const faults = [
    ...(await answerInARow(options)),
    ...(await attackServer(options)),
    ...(await weather(options)),
    ...(await soakServers(options)),
    ...wholeSuites(options),
  ];
  process.exitCode = tell(summary, faults, options);
}

/** Those that the worlds ask for, by the name of the world. */
async function startServers({ world }) {
  const names = [...new Set(world)].filter((name) => name in SERVER_WORLDS);
  return new Map(
    await Promise.all(names.map(async (name) => [name, await serverCatalogue[name]()])),
  );
}

/** The world of this name and how to leave it; one over a server is opened at the URL. */
async function openWorld(name, url) {
  if (url === undefined) return { open: WORLDS[name], close: async () => {} };
  return SERVER_WORLDS[name](url);
}

async function playAgain({ world: [name], seed, path }, servers) {
  const { open, close } = await openWorld(name, servers.get(name)?.url);
  const { failure } = await runBatch({ name, open, seed, path, runs: 1 });
  await close();
  console.log(failure ? describeFailure(failure) : 'every rule holds');
  return failure ? 1 : 0;
}

/** Hands batches to workers until there are none left, the time is up, or too much is broken. */
async function playAll({ seeds, world, seed, minutes }, servers) {
  const coverage = emptyCoverage();
  const failures = [];
  const began = Date.now();
  const total = Number.isFinite(minutes) ? Infinity : seeds;
  const until = began + minutes * 60_000;
  let handed = 0;
  let done = 0;
  let next = 0;
  const report = () => {
    const seconds = (Date.now() - began) / 1_000;
    const of = Number.isFinite(total) ? `/${total}` : '';
    const rate = (done / Math.max(1, seconds)).toFixed(0);
    console.log(`${done}${of} schedules, ${rate}/s, ${failures.length} violations`);
  };
  const timer = setInterval(report, PROGRESS_MS);
  const worker = async () => {
    const child = fork(import.meta.filename, [], { execArgv: process.execArgv });
    try {
      while (handed < total && Date.now() < until && failures.length < 10) {
        const name = world[next % world.length];
        const runs = Math.min(name in SERVER_WORLDS ? SMALL_BATCH : BATCH, total - handed);
        const batch = { world: name, url: servers.get(name)?.url, seed: seed + next, runs };
        handed += runs;
        next += 1;
        const result = await askWorker(child, batch);
        done += result.failure ? result.runs + 1 : result.runs;
        mergeCoverage(coverage, result.coverage);
        if (!result.failure) continue;
        failures.push(result.failure);
        console.log(`\n${describeFailure(result.failure)}\n`);
      }
    } finally {
      child.kill();
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, availableParallelism()) }, worker));
  clearInterval(timer);
  report();
  return { coverage, failures, done, seconds: (Date.now() - began) / 1_000 };
}

function askWorker(child, batch) {
  return new Promise((resolve, reject) => {
    const died = (code) => reject(new Error(`a worker died (${code}) at ${JSON.stringify(batch)}`));
    child.once('exit', died);
    child.once('message', (result) => {
      child.off('exit', died);
      resolve(result);
    });
    child.send(batch);
  });
}

function serve() {
  const opened = new Map();
  const play = async ({ world: name, url, seed, runs }) => {
    if (!opened.has(name)) opened.set(name, await openWorld(name, url));
    process.send(await runBatch({ name, open: opened.get(name).open, seed, runs }));
  };
  process.on('message', (batch) => void play(batch));
}

async function answerInARow({ serial }) {
  if (!(serial > 0)) return [];
  const began = Date.now();
  let told = began;
  const faults = await serialCalls({
    calls: serial,
    onProgress(answered) {
      if (Date.now() - told < PROGRESS_MS) return;
      told = Date.now();
      console.log(`answers in a row: ${answered}/${serial}`);
    },
  });
  const seconds = ((Date.now() - began) / 1_000).toFixed(0);
  console.log(`answers in a row: ${serial} in ${seconds} s, ${faults.length} faults`);
  return faults.map((fault) => `answers in a row: ${fault}`);
}

async function attackServer({ requests, seed }) {
  if (!(requests > 0)) return [];
  const onProgress = (done) => console.log(`odd requests: ${done}/${requests}`);
  const faults = await fuzzServer({ requests, seed, onProgress });
  const undocumented = await fuzzByDocument({ requests, seed });
  console.log(`requests by the OpenAPI document: ${requests}, ${undocumented.length} faults`);
  faults.push(...undocumented);
  const found = await attackByDocument(50);
  if (found === null)
    console.log('schemathesis: not installed, left out (pip install schemathesis)');
  else console.log(`schemathesis: ${found.length} faults`);
  return [...faults.map((fault) => `odd requests: ${fault}`), ...(found ?? [])];
}

async function weather({ storm, seed }) {
  if (!(storm > 0)) return [];
  let told = 0;
  const folder = mkdtempSync(join(tmpdir(), 'helix-storm-'));
  const module = new URL('../packages/store-sqlite/test/stores.ts', import.meta.url).href;
  const report = await killStorm({
    address: { module, args: [join(folder, 'agents.db')] },
    seconds: storm,
    sessions: 20,
    seed,
    onProgress({ kills, seconds }) {
      if (seconds - told < PROGRESS_MS / 1_000) return;
      told = seconds;
      console.log(`kill storm: ${kills} kills in ${seconds.toFixed(0)} s`);
    },
  });
  console.log(
    `kill storm: ${report.kills} kills, ${report.turns} turns, ${report.steps} steps, ${report.faults.length} faults`,
  );
  rmSync(folder, { recursive: true, force: true });
  return report.faults.map((fault) => `kill storm: ${fault}`);
}

async function soakServers({ soak: seconds, seed }) {
  if (!(seconds > 0)) return [];
  let told = 0;
  const module = new URL('../packages/store-postgres/test/stores.ts', import.meta.url).href;
  const { counts, refusals, faults } = await soak({
    addressOf: (url) => ({ module, args: [url, 'listen'] }),
    seconds,
    sessions: 50,
    seed,
    onProgress({ seconds: passed, damage, answers }) {
      if (passed - told < PROGRESS_MS / 1_000) return;
      told = passed;
      const { serverKills, serverStops, databaseKills } = damage;
      console.log(
        `soak: ${passed.toFixed(0)}/${seconds} s, ${answers} answers, ${serverKills} servers killed, ${serverStops} stopped, ${databaseKills} databases killed`,
      );
    },
  });
  console.log(`soak: ${counts.sessions} sessions, ${faults.length} faults`);
  for (const [what, count] of [...Object.entries(counts), ...refusals]) {
    console.log(`  ${String(count).padStart(9)}  ${what}`);
  }
  return faults.map((fault) => `soak: ${fault}`);
}

/** Suites of which `npm test` takes a share: Temporal over servers, deaths at every call, races of processes. */
function wholeSuites({ suites }) {
  if (!(suites > 0)) return [];
  const root = join(import.meta.dirname, '..');
  const files = [
    ...['databases', 'workers'].map((name) => `packages/runtime-temporal/test/${name}.test.ts`),
    'packages/runtime-js/test/crash-',
    ...['sqlite', 'postgres', 'redis'].map(
      (name) => `packages/store-${name}/test/processes.test.ts`,
    ),
    ...['postgres', 'redis'].map((name) => `packages/store-${name}/test/crash.test.ts`),
  ];
  const { status } = spawnSync(join(root, 'node_modules/.bin/vitest'), ['run', ...files], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, TEST_WHOLE: '1' },
  });
  return status === 0 ? [] : ['whole suites: see the tests above'];
}

function tell({ coverage, failures, done, seconds }, faults, { world, seeds }) {
  console.log(`\n${done} schedules on ${world.join(', ')} in ${seconds.toFixed(0)} s`);
  const entries = Object.entries(coverage.seen).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [what, count] of entries) console.log(`  ${String(count).padStart(9)}  ${what}`);
  const share = Math.round((100 * coverage.succeeded) / Math.max(1, coverage.operations));
  console.log(`  ${share} % of ${coverage.operations} operations succeeded`);
  // A few schedules cannot see everything.
  const gaps = seeds >= 500 ? coverageGaps(coverage) : [];
  for (const gap of gaps) console.log(gap);
  for (const fault of faults) console.log(fault);
  const broken = failures.length + faults.length + gaps.length;
  console.log(broken === 0 ? '\nno violations' : `\n${broken} violations`);
  return broken === 0 ? 0 : 1;
}
