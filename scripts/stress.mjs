// `npm run stress`: many random schedules over every world, on all cores, then a storm of real SIGKILLs.
//
//   npm run stress -- --seeds 2000             fewer schedules (20000 by default)
//   npm run stress -- --world memory           one world only: memory, sqlite, replay or split
//   npm run stress -- --minutes 30             until the time is up, however many
//   npm run stress -- --world sqlite --seed 7 --path 12:3   plays one schedule again, as a failure prints it
//   npm run stress -- --storm 60               seconds of the kill storm (30 by default, 0: none)
//   npm run stress -- --requests 100000        odd requests to the server (20000 by default, 0: none); then schemathesis
//                                              reads its OpenAPI document and attacks it, where it is installed
//   npm run stress -- --serial 100000          answers in a row, one a minute (10000 by default, 0: none)
//
// Exits with 1 when a rule was broken or too little was seen to say anything.
import { fork } from 'node:child_process';
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
import { WORLD_NAMES, WORLDS } from '../packages/runtime-js/test/schedule-worlds.ts';
import { serialCalls } from '../packages/runtime-js/test/serial-calls.ts';
import { killStorm } from '@helix-agents/test-processes';
import { attackByDocument, fuzzServer } from '../packages/agent-server/test/stress-server.ts';

/** Schedules per batch; each batch has a seed of its own. */
const BATCH = 50;
const PROGRESS_MS = 5_000;

if (process.send) serve();
else await main(readOptions());

function readOptions() {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '20000' },
      world: { type: 'string', multiple: true, default: [...WORLD_NAMES] },
      seed: { type: 'string', default: '1' },
      path: { type: 'string' },
      minutes: { type: 'string' },
      storm: { type: 'string', default: '30' },
      serial: { type: 'string', default: '10000' },
      requests: { type: 'string', default: '20000' },
    },
  });
  for (const name of values.world) {
    if (!WORLD_NAMES.includes(name))
      throw new Error(`no world "${name}": ${WORLD_NAMES.join(', ')}`);
  }
  return {
    ...values,
    seeds: Number(values.seeds),
    seed: Number(values.seed),
    minutes: values.minutes === undefined ? Infinity : Number(values.minutes),
    storm: Number(values.storm),
    serial: Number(values.serial),
    requests: Number(values.requests),
  };
}

async function main(options) {
  if (options.path !== undefined) {
    process.exitCode = await playAgain(options);
    return;
  }
  const summary = await playAll(options);
  const faults = [
    ...(await answerInARow(options)),
    ...(await attackServer(options)),
    ...(await weather(options)),
  ];
  process.exitCode = tell(summary, faults, options);
}

async function playAgain({ world, seed, path }) {
  const { failure } = await runBatch({ world: WORLDS[world[0]], seed, path, runs: 1 });
  console.log(failure ? describeFailure(failure) : 'every rule holds');
  return failure ? 1 : 0;
}

/** Hands batches to workers until there are none left, the time is up, or too much is broken. */
async function playAll({ seeds, world, seed, minutes }) {
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
        const runs = Math.min(BATCH, total - handed);
        const batch = { world: world[next % world.length], seed: seed + next, runs };
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
  process.on('message', async ({ world, seed, runs }) => {
    process.send(await runBatch({ world: WORLDS[world], seed, runs }));
  });
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
