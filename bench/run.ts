// `npm run bench -- [--only steps,stream] [--quick]`: measures, prints a table, writes results/latest.json and, after a
// whole run, results.svg.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chat } from './cases/chat.ts';
import { cold } from './cases/cold.ts';
import { growth } from './cases/growth.ts';
import { idle } from './cases/idle.ts';
import { postgres } from './cases/postgres.ts';
import { reads } from './cases/reads.ts';
import { redis } from './cases/redis.ts';
import { restart } from './cases/restart.ts';
import { resume } from './cases/resume.ts';
import { server } from './cases/server.ts';
import { steps } from './cases/steps.ts';
import { stream } from './cases/stream.ts';
import { submit } from './cases/submit.ts';
import { temporal } from './cases/temporal.ts';
import type { BenchCase, Result } from './lib/measure.ts';
import { table } from './lib/report.ts';
import { chart } from './lib/svg.ts';

const CASES: readonly BenchCase[] = [
  steps,
  growth,
  stream,
  resume,
  submit,
  idle,
  restart,
  reads,
  postgres,
  redis,
  temporal,
  cold,
  server,
  chat,
];

const { values } = parseArgs({
  options: { only: { type: 'string' }, quick: { type: 'boolean', default: false } },
});
const wanted = values.only?.split(',');
const unknown = wanted?.filter((name) => !CASES.some((each) => each.name === name)) ?? [];
if (unknown.length > 0) {
  console.error(
    `no case ${unknown.join(', ')}; there are ${CASES.map((each) => each.name).join(', ')}`,
  );
  process.exit(1);
}

const results: Result[] = [];
for (const each of CASES) {
  if (wanted && !wanted.includes(each.name)) continue;
  try {
    results.push(...(await each.run({ quick: values.quick, progress })));
  } catch (error) {
    progress('');
    console.error(`${each.name} broke:`, error);
    process.exitCode = 1;
  }
}
progress('');

const machine = { node: process.version, cpus: cpus().length, load: loadavg()[0] };
console.log(table(results));
console.log(
  `\n${machine.cpus} CPUs, load ${machine.load?.toFixed(1)}, node ${machine.node}. Compare ratios: times and rates depend on what else the machine does.`,
);
const directory = join(import.meta.dirname, 'results');
mkdirSync(directory, { recursive: true });
writeFileSync(
  join(directory, 'latest.json'),
  `${JSON.stringify({ machine, quick: values.quick, results }, null, 2)}\n`,
);
if (!wanted && process.exitCode === undefined)
  writeFileSync(join(import.meta.dirname, 'results.svg'), chart(results));

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
  else if (text !== '') process.stderr.write(`${text}\n`);
}
