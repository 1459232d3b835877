// The demo: this process only watches, kills, and asks. The agent works in processes of its own.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { JSAgentExecutor, openSqlite, type OpenCallRow, type StreamChunk } from '@helix-agents/sdk';
import { createResearchAssistant } from './agent.ts';
import { askPerson, type Answer } from './approval.ts';
import { watchForKillMoment } from './kill-moment.ts';
import { openLedger, type LedgerEntry } from './ledger.ts';
import { chooseModel } from './model.ts';
import { databaseIn, PATIENCE_MS, QUESTION, SESSION_ID } from './settings.ts';
import { createTerminal, type Style } from './terminal.ts';
import { checkLedger } from './verdict.ts';
import { startWorker, type WorkerProcess } from './worker-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'helix-research-'));
const model = chooseModel(process.env);
const agent = createResearchAssistant(folder, model.llmConfig);
const ledger = openLedger(folder);
const terminal = createTerminal(agent.name);
const { stateStore, streamManager, close } = openSqlite(databaseIn(folder), { pollMs: 40 });
const executor = new JSAgentExecutor(stateStore, streamManager, model.adapter, {
  agentRegistry: { [agent.name]: agent },
});
let lastSequence = 0;
let acts = 0;

introduce();
const atKill = await firstProcessDies();
if (atKill) await secondProcessTakesOver();
const answers = await answerAndResume();
close();
const ok = report(atKill, ledger.read(), answers);
process.exitCode = ok ? 0 : 1;

function introduce(): void {
  terminal.say('Helix Agents: a research assistant that survives kill -9', 'bold');
  terminal.say('');
  terminal.say(model.description);
  terminal.say(
    'The database is one SQLite file. The agent works in a worker process; this process',
  );
  terminal.say('only reads what is stored.');
  terminal.say('');
  terminal.say(`Question: ${QUESTION}`, 'bold');
}

/** What the tools had done when it was killed; null if there was no moment to kill it. */
async function firstProcessDies(): Promise<readonly LedgerEntry[] | null> {
  const worker = startWorker(folder, 'start');
  act(`Process ${worker.pid} starts to work`);
  const isMoment = watchForKillMoment();
  const seen = await follow(worker, (chunk) => isMoment(chunk) || isRest(chunk));
  if (isRest(seen)) {
    await worker.done;
    terminal.say('  The model read no long document, so there was no moment to kill it.', 'yellow');
    return null;
  }
  await worker.kill();
  const found = ledger.read();
  const cut = found.find((entry) => entry.finished === 0);
  act(`kill -9 ${worker.pid}: in the middle of ${cut?.tool}(${cut?.about})`, ['red', 'bold']);
  terminal.say(
    `  ${found.length - 1} finished calls are stored. What the cut-off one had done so far is lost.`,
  );
  return found;
}

async function secondProcessTakesOver(): Promise<void> {
  const worker = startWorker(folder, 'take-over');
  act(`Process ${worker.pid} starts and takes the run over as soon as the dead one's lease is out`);
  await follow(worker, isRest);
  await worker.done;
}

/** As often as the agent asks. */
async function answerAndResume(): Promise<readonly boolean[]> {
  const given: boolean[] = [];
  for (;;) {
    const { items } = await executor.listOpenCalls({ rootSessionId: SESSION_ID });
    if (items.length === 0) return given;
    act('The agent waits for you. No process runs: the question is a row in the database');
    for (const open of items) {
      const { approved } = await aPersonDecides(open);
      given.push(approved);
    }
    const worker = startWorker(folder, 'resume');
    act(`Process ${worker.pid} resumes with your answer`);
    await follow(worker, isRest);
    await worker.done;
  }
}

async function aPersonDecides({ input, toolCallId }: OpenCallRow): Promise<Answer> {
  for (const [name, value] of Object.entries(input as object)) {
    terminal.say(`    ${name}: ${String(value)}`);
  }
  const answer = (await askPerson('  Publish this report?')) ?? answerForNobody();
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

function report(
  killed: readonly LedgerEntry[] | null,
  ended: readonly LedgerEntry[],
  given: readonly boolean[],
): boolean {
  terminal.say('');
  terminal.say(
    'What the tools really did (each writes a line to a file when it starts and when it is done)',
    'bold',
  );
  terminal.say('    started  finished');
  for (const { tool, about, started, finished } of ended) {
    const subject = about.length > 40 ? `${about.slice(0, 39)}…` : about;
    const row = `    ${String(started).padStart(7)}  ${String(finished).padStart(8)}  ${tool}(${subject})`;
    terminal.say(row, started > 1 ? 'yellow' : undefined);
  }
  terminal.say('');
  const checks = checkLedger(killed, ended, given);
  for (const { ok: holds, text } of checks) {
    terminal.say(`  ${holds ? '✓' : '✗'} ${text}`, holds ? 'green' : 'red');
  }
  terminal.say('');
  terminal.say(`  Database, ledger and report are in ${folder}`, 'gray');
  return checks.every((check) => check.ok);
}

function act(text: string, style: Style = 'bold'): void {
  acts += 1;
  terminal.say('');
  terminal.say(`${acts}. ${text}`, style);
}

/** The run has ended, or waits for a person. */
function isRest(chunk: StreamChunk): boolean {
  return (
    chunk.agentType === agent.name &&
    (chunk.type === 'run_suspended' || chunk.type === 'run_completed')
  );
}

function giveUp(reason: string): never {
  terminal.say(`  The run failed: ${reason}`, 'red');
  process.exit(1);
}

/** Shows the stream from where it was left until `isLast`, across any number of processes that write to it. */
async function follow(
  worker: WorkerProcess,
  isLast: (chunk: StreamChunk) => boolean,
): Promise<StreamChunk> {
  const failed = worker.done.then(() => new Promise<never>(() => {}));
  const patience = model.real ? PATIENCE_MS.real : PATIENCE_MS.scripted;
  const late = delay(patience, undefined, { ref: false }).then(() =>
    giveUp('The worker takes too long.'),
  );
  return await Promise.race([showUntil(isLast), failed, late]);
}

async function showUntil(isLast: (chunk: StreamChunk) => boolean): Promise<StreamChunk> {
  for (;;) {
    const reader = await streamManager.createResumableReader(SESSION_ID, {
      afterSequence: lastSequence,
    });
    for await (const { sequence, chunk } of reader ?? []) {
      lastSequence = sequence;
      terminal.show(chunk);
      if (chunk.type === 'run_failed' && chunk.agentType === agent.name) {
        giveUp(chunk.message);
      }
      if (isLast(chunk)) return chunk;
    }
    // Not there yet, or still paused.
    await delay(40);
  }
}
