// The demo: this process only watches, kills, and asks. The agent works in processes of its own.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { JSAgentExecutor, openSqlite, type StreamChunk } from '@helix-agents/sdk';
import { createResearchAssistant } from './agent.ts';
import { askPerson, type Answer } from './approval.ts';
import { openLedger, type LedgerEntry } from './ledger.ts';
import { scriptedModel } from './model.ts';
import { databaseIn, QUESTION, SESSION_ID } from './settings.ts';
import { createTerminal, type Style } from './terminal.ts';
import { checkLedger } from './verdict.ts';
import { startWorker, type WorkerProcess } from './worker-process.ts';

const PATIENCE_MS = 60_000;

const folder = mkdtempSync(join(tmpdir(), 'helix-research-'));
const agent = createResearchAssistant(folder);
const ledger = openLedger(folder);
const terminal = createTerminal(agent.name);
const { stateStore, streamManager, close } = openSqlite(databaseIn(folder), { pollMs: 40 });
const executor = new JSAgentExecutor(stateStore, streamManager, scriptedModel, {
  agentRegistry: { [agent.name]: agent },
});
let lastSequence = 0;

introduce();
const atKill = await firstProcessDies();
await secondProcessTakesOver();
const { approved } = await aPersonDecides();
await thirdProcessFinishes();
close();
const ok = report(atKill, ledger.read(), approved);
process.exitCode = ok ? 0 : 1;

function introduce(): void {
  terminal.say('Helix Agents: a research assistant that survives kill -9', 'bold');
  terminal.say('');
  terminal.say('The model is scripted, so you need no key; the database is one SQLite file.');
  terminal.say('The agent works in a worker process. This process only reads what is stored.');
  terminal.say('');
  terminal.say(`Question: ${QUESTION}`, 'bold');
}

async function firstProcessDies(): Promise<readonly LedgerEntry[]> {
  const worker = startWorker(folder, 'start');
  act(`1. Process ${worker.pid} starts to work`);
  let documentsRead = 0;
  await follow(worker, (chunk) => {
    if (chunk.type === 'tool_end' && chunk.toolName === 'read_document') documentsRead += 1;
    return documentsRead === 2 && chunk.type === 'custom';
  });
  await worker.kill();
  const found = ledger.read();
  const cut = found.find((entry) => entry.finished === 0);
  act(`2. kill -9 ${worker.pid}: in the middle of ${cut?.tool}(${cut?.about})`, ['red', 'bold']);
  terminal.say(
    `  ${found.length - 1} finished calls are stored. What the cut-off one had done so far is lost.`,
  );
  return found;
}

async function secondProcessTakesOver(): Promise<void> {
  const worker = startWorker(folder, 'take-over');
  act(
    `3. Process ${worker.pid} starts and takes the run over as soon as the dead one's lease is out`,
  );
  await follow(worker, (chunk) => chunk.type === 'run_suspended');
  await worker.done;
}

async function aPersonDecides(): Promise<Answer> {
  act('4. The agent waits for you. No process runs: the question is a row in the database');
  const { items } = await executor.listOpenCalls({ rootSessionId: SESSION_ID });
  const [open] = items;
  if (!open) throw new Error('There should be an open call.');
  for (const [name, value] of Object.entries(open.input as object)) {
    terminal.say(`    ${name}: ${String(value)}`);
  }
  const answer = (await askPerson('  Publish this report?')) ?? answerForNobody();
  const { toolCallId } = open;
  const { status } = await executor.submitToolResult(
    { kind: 'approval-response', sessionId: SESSION_ID, toolCallId, ...answer },
    { answeredBy: 'terminal' },
  );
  terminal.say(`  Your answer is stored (${status}).`);
  return answer;
}

/** No terminal, nobody to ask: the demo answers, so that it ends. `--deny` makes it say no. */
function answerForNobody(): Answer {
  const approved = !process.argv.includes('--deny');
  const word = approved ? 'yes' : 'no';
  terminal.say(`  Nobody to ask here (no terminal), so the demo answers: ${word}.`, 'yellow');
  return { approved, reason: 'answered by the demo' };
}

async function thirdProcessFinishes(): Promise<void> {
  const worker = startWorker(folder, 'resume');
  act(`5. Process ${worker.pid} resumes with your answer`);
  await follow(worker, (chunk) => chunk.type === 'run_completed');
  await worker.done;
}

function report(
  killed: readonly LedgerEntry[],
  ended: readonly LedgerEntry[],
  wasApproved: boolean,
): boolean {
  act(
    'What the tools really did (each writes a line to a file when it starts and when it is done)',
  );
  terminal.say('    started  finished');
  for (const { tool, about, started, finished } of ended) {
    const subject = about.length > 40 ? `${about.slice(0, 39)}…` : about;
    const row = `    ${String(started).padStart(7)}  ${String(finished).padStart(8)}  ${tool}(${subject})`;
    terminal.say(row, started > 1 ? 'yellow' : undefined);
  }
  terminal.say('');
  const checks = checkLedger(killed, ended, wasApproved);
  for (const { ok: holds, text } of checks) {
    terminal.say(`  ${holds ? '✓' : '✗'} ${text}`, holds ? 'green' : 'red');
  }
  terminal.say('');
  terminal.say(`  Database, ledger and report are in ${folder}`, 'gray');
  return checks.every((check) => check.ok);
}

function act(text: string, style: Style = 'bold'): void {
  terminal.say('');
  terminal.say(text, style);
}

/** Shows the stream from where it was left until `isLast`, across any number of processes that write to it. */
async function follow(
  worker: WorkerProcess,
  isLast: (chunk: StreamChunk) => boolean,
): Promise<void> {
  const failed = worker.done.then(() => new Promise<never>(() => {}));
  const late = delay(PATIENCE_MS, undefined, { ref: false }).then(() => {
    throw new Error('The worker takes too long.');
  });
  await Promise.race([showUntil(isLast), failed, late]);
}

async function showUntil(isLast: (chunk: StreamChunk) => boolean): Promise<void> {
  for (;;) {
    const reader = await streamManager.createResumableReader(SESSION_ID, {
      afterSequence: lastSequence,
    });
    for await (const { sequence, chunk } of reader ?? []) {
      lastSequence = sequence;
      terminal.show(chunk);
      if (chunk.type === 'run_failed') throw new Error(chunk.message);
      if (isLast(chunk)) return;
    }
    // Not there yet, or still paused.
    await delay(40);
  }
}
