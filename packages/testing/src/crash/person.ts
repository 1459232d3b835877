import {
  HelixError,
  type OpenCallRow,
  type SessionRow,
  type SubmitOutcome,
  type SubmitToolResult,
} from '@helix-agents/core';
import { InjectedFaultError } from '../world/fault-line.ts';
import { ROOT, ROOT_REF } from './harness.ts';
import { DeathError, type Fate } from './mortal-process.ts';
import type { Deed } from './scenario.ts';
import type { Running, World } from './world.ts';

/** Longer than a lease and the longest wait between two recoveries of one run. */
const SILENCE_MS = 120_000;
const MOST_DEEDS = 60;
/** What follows the last commit is done by then. */
const AFTERMATH_MS = 2_000;

export interface PersonOptions {
  /** What happens to the first, second … process. Later ones live. */
  readonly fates: readonly Fate[];
  /** Processes retry what fails, for faults that are not deaths. */
  readonly patient?: boolean;
  /** Which way dead runs are taken up: `recover()` or `resume()`. */
  readonly takeUp?: 'recover' | 'resume';
  /** When a paused process goes on: when all is over, or as soon as another one has taken its place. */
  readonly release?: 'at-the-end' | 'early';
}

/** The replies that the person got, for the checks. */
export interface ClientLog {
  readonly interrupted: string[];
  readonly faults: string[];
}

/**
 * Plays the person of a scenario to its end. They look at the store, do what comes next, and when a process dies they
 * start another one; an operation whose reply never came is looked up or tried again, never assumed.
 */
export class Person {
  readonly log: ClientLog = { interrupted: [], faults: [] };
  readonly #world: World;
  readonly #options: PersonOptions;
  readonly #unsure: SubmitToolResult[] = [];
  #helper: Running | null = null;
  current: Running;

  constructor(world: World, options: PersonOptions) {
    this.#world = world;
    this.#options = options;
    this.current = world.boot(options.fates[0] ?? null, options.patient);
  }

  async live(): Promise<void> {
    for (let deeds = 0; deeds < MOST_DEEDS; deeds += 1) {
      if (this.current.process.dead || this.current.process.paused) this.#restart();
      const root = await this.#world.readRoot();
      if (!(await this.#isOver(root))) await this.#next(root);
      else if (await this.#reattach()) return this.#world.time.pass(AFTERMATH_MS);
      if (this.#options.release === 'early') this.#release();
    }
    throw new Error(`the scenario did not end within ${MOST_DEEDS} deeds`);
  }

  /** The run goes on elsewhere: the former process is silent for longer than its lease. */
  #restart(): void {
    const { fates, patient } = this.#options;
    const begun = this.#world.processes.filter((process) => process !== this.#helper?.process);
    this.#world.time.jump(SILENCE_MS);
    this.current = this.#world.boot(fates[begun.length] ?? null, patient);
  }

  #release(): void {
    for (const process of this.#world.processes) {
      if (process !== this.current.process && process.paused) process.resume();
    }
  }

  async #isOver(root: SessionRow | null): Promise<boolean> {
    if (!root || !isTerminal(root) || this.#unsure.length > 0) return false;
    return (await this.#turns()) >= this.#world.scenario.messages.length;
  }

  /** After a crash the sweep finishes what was begun, and clients come back and look. */
  async #reattach(): Promise<boolean> {
    if (this.#world.processes.every((process) => process.struck === null)) return true;
    const { executor, agent } = this.current;
    if (!(await this.#attempt(() => executor.sweep()))) return false;
    const handle = await this.#attempt(() => executor.getHandle(agent, ROOT));
    // The engine goes on without a stream that fails, so a call may return in a process that died there: its reply is dropped.
    return handle !== undefined && !this.current.process.dead;
  }

  async #turns(): Promise<number> {
    const messages = await this.#world.time.working(() =>
      this.#world.storeOf(ROOT_REF).readMessages(ROOT_REF),
    );
    return messages.filter(({ message }) => message.role === 'user').length;
  }

  async #next(root: SessionRow | null): Promise<void> {
    const { executor } = this.current;
    if (this.#unsure.length > 0) return this.#askAgain();
    if (!root || isTerminal(root)) return this.#say();
    if (root.status !== 'running') return this.#act(this.#decide(root));
    if (root.leaseUntil !== null && root.leaseUntil <= this.#world.time.now()) {
      const resume = this.#options.takeUp === 'resume';
      await this.#attempt<unknown>(() =>
        resume ? executor.resume({ sessionId: ROOT }) : executor.recover(),
      );
      return;
    }
    await this.#watch();
  }

  async #say(): Promise<void> {
    const { executor, agent } = this.current;
    const text = this.#world.scenario.messages[await this.#turns()] ?? '';
    await this.#attempt(() => executor.execute(agent, text, { sessionId: ROOT }), 'execute');
  }

  /** Waits while it runs; does something to it when the scenario says so. */
  async #watch(): Promise<void> {
    const { process } = this.current;
    let deed: Deed = { kind: 'wait' };
    await this.#world.time.until('the run to end', async () => {
      if (process.dead || process.paused) return true;
      const root = await this.#world.readRoot();
      if (root?.status !== 'running') return true;
      deed = this.#decide(root);
      return deed.kind !== 'wait';
    });
    if (!process.dead && !process.paused && deed.kind !== 'wait') await this.#act(deed);
  }

  #decide(root: SessionRow): Deed {
    const deed = this.#world.scenario.decide?.({
      root,
      ledger: this.#world.ledger,
      running: (tool) => this.current.process.running.includes(tool),
    });
    const told = deed?.kind === 'interrupt' && this.log.interrupted.includes(root.runId);
    if (deed && deed.kind !== 'wait' && !told) return deed;
    return root.status === 'running' ? { kind: 'wait' } : { kind: 'answer' };
  }

  async #act(deed: Deed): Promise<void> {
    const { executor, agent } = this.current;
    switch (deed.kind) {
      case 'wait':
        return;
      case 'interrupt': {
        const told = await this.#attempt(() => executor.interrupt(ROOT, 'enough'), 'interrupt');
        if (told && told.status !== 'too_late') this.log.interrupted.push(told.runId);
        await this.#world.time.quiet();
        return;
      }
      case 'abort':
        await this.#attempt(() => executor.abort(ROOT, 'stop'), 'abort');
        return;
      case 'message': {
        const options = { sessionId: ROOT, onMessageWhileSuspended: 'supersede' } as const;
        await this.#attempt(() => executor.execute(agent, deed.text, options), 'execute');
        return;
      }
      case 'answer':
        await this.#answer();
        if (this.#unsure.length === 0) {
          await this.#attempt(() => this.current.executor.resume({ sessionId: ROOT }));
        }
    }
  }

  async #answer(): Promise<void> {
    const { scenario, time } = this.#world;
    const root = await this.#world.readRoot();
    const rows = await time.working(() => this.#world.storeOf(ROOT_REF).readCalls(ROOT));
    const submissions = rows
      .filter((row) => row.state === 'open')
      .flatMap((row) => submissionFor(row, root && scenario.answer?.(row, root)));
    if (!scenario.twoWriters) {
      for (const submission of submissions) await this.#submit(this.current, submission);
      return;
    }
    this.#helper ??= this.#world.boot(null);
    const [first, ...others] = submissions;
    if (!first) return;
    const helper = this.#helper;
    await Promise.all([
      this.#submit(this.current, first),
      ...others.map((submission) => this.#submit(helper, submission)),
    ]);
  }

  async #submit(via: Running, submission: SubmitToolResult): Promise<void> {
    this.#unsure.push(submission);
    const told = await this.#attempt(() => via.executor.submitToolResult(submission));
    if (!told) return;
    this.#unsure.splice(this.#unsure.indexOf(submission), 1);
    this.#expect(submission, told, 'accepted');
  }

  /** The reply to a submission was lost: sent again, it is accepted exactly if it had not been stored. */
  async #askAgain(): Promise<void> {
    const submission = this.#unsure[0] as SubmitToolResult;
    const store = this.#world.storeOf(ROOT_REF);
    const { toolCallId } = submission;
    const [row] = await this.#world.time.working(() =>
      store.readCalls(ROOT, { toolCallId, part: '' }),
    );
    const told = await this.#attempt(() => this.current.executor.submitToolResult(submission));
    if (!told) return;
    this.#unsure.shift();
    this.#expect(submission, told, row?.state === 'open' ? 'accepted' : 'already_completed');
  }

  #expect(submission: SubmitToolResult, told: SubmitOutcome, status: string): void {
    if (told.status === status) return;
    this.log.faults.push(`submit of ${submission.toolCallId}: ${told.status}, not ${status}`);
  }

  /** Undefined when the reply never came: dead, paused, lost, or the session had moved on meanwhile. */
  async #attempt<T>(
    operation: () => Promise<T>,
    command: string | null = null,
  ): Promise<T | undefined> {
    const { process } = this.current;
    process.command = command;
    let outcome: { value?: T; error?: Error } | null = null;
    operation().then(
      (value) => (outcome = { value }),
      (error: Error) => (outcome = { error }),
    );
    await this.#world.time.until(
      'an operation to return',
      () => outcome !== null || process.dead || process.paused,
    );
    process.command = null;
    const { value, error } = (outcome ?? {}) as { value?: T; error?: Error };
    if (error === undefined || isExpected(error)) return value;
    throw error;
  }
}

function submissionFor(row: OpenCallRow, answer: object | null | undefined): SubmitToolResult[] {
  if (!answer) return [];
  return [{ ...answer, sessionId: ROOT, toolCallId: row.toolCallId } as SubmitToolResult];
}

/** Deaths and faults of the simulation, and refusals that tell the person to look again. */
function isExpected(error: unknown): boolean {
  if (error instanceof DeathError || error instanceof InjectedFaultError) return true;
  if (!HelixError.isInstance(error)) return false;
  return ['run_already_running', 'session_not_resumable', 'session_suspended'].includes(error.code);
}

function isTerminal(session: SessionRow): boolean {
  return session.status === 'completed' || session.status === 'failed';
}
