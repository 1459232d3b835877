import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runDocumentFuzz } from './document-fuzz.ts';
import { runFuzz } from './run-fuzz.ts';
import { startProcess } from './server-process.ts';

const BATCH = 5_000;
/** About as many as the document has. */
const OPERATIONS = 20;
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'unsupported_method',
];

/** Odd requests in batches, each with a seed of its own. Says what was broken. */
export async function fuzzServer(options: {
  readonly requests: number;
  readonly seed: number;
  readonly onProgress: (done: number) => void;
}): Promise<string[]> {
  const faults: string[] = [];
  for (let done = 0; done < options.requests; done += BATCH) {
    const runs = Math.min(BATCH, options.requests - done);
    const { fault } = await runFuzz({ seed: options.seed + done / BATCH, runs });
    if (fault !== null) faults.push(fault);
    options.onProgress(done + runs);
  }
  return faults;
}

/** Requests made of the schemas of the OpenAPI document, to each of its operations. Says what was broken. */
export async function fuzzByDocument(options: {
  readonly requests: number;
  readonly seed: number;
}): Promise<string[]> {
  const runsPerOperation = Math.ceil(options.requests / OPERATIONS);
  const { fault } = await runDocumentFuzz({ seed: options.seed, runsPerOperation });
  return fault === null ? [] : [fault];
}

/** Lets schemathesis read the document and attack a server over HTTP. Null: it is not installed. */
export async function attackByDocument(examples: number): Promise<string[] | null> {
  if (spawnSync('schemathesis', ['--version']).status !== 0) return null;
  const folder = mkdtempSync(join(tmpdir(), 'helix-schemathesis-'));
  const { child, url, ended, key } = await startProcess(join(folder, 'agents.db'));
  try {
    const args = ['run', `${url}/openapi.json`, '-H', `Authorization: Bearer ${key}`];
    const limits = ['--max-examples', String(examples), '--request-timeout', '5'];
    const what = ['--phases', 'coverage,fuzzing', '--checks', CHECKS.join(',')];
    const run = spawn('schemathesis', [...args, ...limits, ...what, '--no-color'], { cwd: folder });
    let output = '';
    run.stdout.on('data', (data) => (output += String(data)));
    run.stderr.on('data', (data) => (output += String(data)));
    const code = await new Promise<number | null>((resolve) => {
      run.on('close', resolve);
    });
    return code === 0 ? [] : [`schemathesis: ${output.slice(-3_000)}`];
  } finally {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}
