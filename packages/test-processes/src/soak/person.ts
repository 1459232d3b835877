import { HelixError } from '@helix-agents/core';
import { setTimeout as wait } from 'node:timers/promises';
import type { AgentClient } from '@helix-agents/agent-server/client';
import type { Chance } from '../chance.ts';
import type { Heard, Said, SaidAnswer, SaidMessage } from './said.ts';

type Status = Awaited<ReturnType<AgentClient['status']>>;
type OpenCall = Status['openCalls'][number];

export interface PersonOptions {
  readonly sessionId: string;
  readonly agentType: string;
  /** Servers behind one address: each request goes to any of them. */
  readonly clients: readonly AgentClient[];
  readonly said: Said;
  readonly random: Chance;
  /** `talk`: turn after turn. `finish`: begins nothing, answers what is open and resumes nothing: that is left to sweeps. */
  readonly mood: () => 'talk' | 'finish';
}

/** Somebody else was faster, or the session is elsewhere by now. */
const MOVED = [
  'run_already_running',
  'session_not_resumable',
  'session_suspended',
  'ALREADY_COMPLETED',
];
const PAUSE_MS = 150;

/** Talks with one session over HTTP: looks how it stands, does what comes next, and tries again when that fails. */
export class Person {
  readonly #options: PersonOptions;
  #message: SaidMessage | null = null;
  #turn = 0;
  #isOver = false;

  constructor(options: PersonOptions) {
    this.#options = options;
  }

  get sessionId(): string {
    return this.#options.sessionId;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Until its session is completed and nothing more is to be begun, or the signal comes. */
  async live(given: AbortSignal): Promise<void> {
    while (!this.#isOver && !given.aborted) {
      await this.#try(() => this.#act());
      await wait(PAUSE_MS * (0.5 + this.#options.random()));
    }
  }

  async #act(): Promise<void> {
    const { sessionId, mood, said } = this.#options;
    if (this.#turn === 0) return this.#say();
    const status = await this.#anyone().status(sessionId);
    if (status.status === 'failed') {
      said.faults.push(`${sessionId} failed: ${JSON.stringify(status.error)}`);
      this.#isOver = true;
    } else if (status.status === 'completed') {
      if (mood() === 'finish') this.#isOver = true;
      else await this.#say();
    } else {
      // The session was at rest when the message was sent: it is its run.
      this.#taken();
      if (status.openCalls.length > 0) await this.#answer(status);
      else if (mood() === 'talk' && status.status !== 'active') await this.#resume();
    }
  }

  /** The next message; one whose reply was not heard is sent again. */
  async #say(): Promise<void> {
    const { sessionId, agentType, said } = this.#options;
    if (this.#message === null) {
      const text = `message ${this.#turn + 1} of ${sessionId}`;
      this.#message = { sessionId, text, isTaken: false, tries: 0 };
      said.messages.push(this.#message);
    }
    const { text } = this.#message;
    this.#message.tries += 1;
    const message = [{ role: 'user' as const, id: text.replaceAll(' ', '-'), content: text }];
    if (this.#turn > 0) await this.#anyone().resume({ sessionId, message });
    else {
      const start = this.#anyone().start({ sessionId, agentType, message });
      await start.catch((error: unknown) => {
        if (!HelixError.isInstance(error) || error.code !== 'ALREADY_COMPLETED') throw error;
      });
    }
    this.#taken();
  }

  #taken(): void {
    if (this.#message === null) return;
    this.#message.isTaken = true;
    this.#message = null;
    this.#turn += 1;
  }

  async #answer({ openCalls }: Status): Promise<void> {
    const { random, mood } = this.#options;
    // Not always all of them, and now and then two persons at once.
    const chosen = openCalls.filter(() => mood() === 'finish' || random() < 0.8);
    await Promise.all(
      chosen.flatMap((call) =>
        random() < 0.2 ? [this.#submit(call), this.#submit(call)] : [this.#submit(call)],
      ),
    );
    // Now and then nobody resumes it: a sweep has to.
    if (mood() === 'talk' && chosen.length === openCalls.length && random() < 0.7) {
      await this.#resume();
    }
  }

  async #submit(call: OpenCall): Promise<void> {
    const { sessionId, said, random } = this.#options;
    const token = `answer-${said.answers.length + 1}.`;
    const kind = call.kind !== 'approval' ? 'result' : random() < 0.8 ? 'approval' : 'denial';
    const { toolCallId } = call;
    const answer: SaidAnswer = { sessionId, toolCallId, token, kind, heard: [] };
    said.answers.push(answer);
    const address = { sessionId, toolCallId };
    const send = async (): Promise<Heard> => {
      const sent = this.#anyone().submit(
        kind === 'result'
          ? { ...address, kind: 'client-tool-result', result: token }
          : kind === 'approval'
            ? { ...address, kind: 'approval-response', approved: true, input: { note: token } }
            : { ...address, kind: 'approval-response', approved: false, reason: token },
      );
      return (await sent).status;
    };
    for (let tries = 0; tries < 3; tries += 1) {
      const heard = await this.#try(send);
      answer.heard.push(heard ?? 'unheard');
      if (heard !== null) return;
    }
  }

  async #resume(): Promise<void> {
    await this.#anyone().resume({ sessionId: this.#options.sessionId });
  }

  #anyone(): AgentClient {
    const { clients, random } = this.#options;
    return clients[Math.floor(random() * clients.length)] as AgentClient;
  }

  /** Null: it failed in a way that faults explain. */
  async #try<T>(work: () => Promise<T>): Promise<T | null> {
    const { said, sessionId } = this.#options;
    try {
      return await work();
    } catch (error) {
      const { code, statusCode = 0 } = error as { code?: string; statusCode?: number };
      const isRefusal = HelixError.isInstance(error);
      const name = isRefusal ? `${statusCode} ${code}` : 'no reply';
      said.refusals.set(name, (said.refusals.get(name) ?? 0) + 1);
      const isExcused = !isRefusal || statusCode === 503 || MOVED.includes(String(code));
      if (!isExcused) said.faults.push(`${sessionId}: ${name}: ${String(error)}`);
      return null;
    }
  }
}
