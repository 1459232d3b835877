import { HelixError, type OpenCallRow, type SubmitToolResult } from '@helix-agents/core';
import type { ClientOperation, ClientOutcome, ClientRequest } from '../history/types.ts';
import type { SubmitHow } from './commands.ts';
import type { ScheduleProcess } from './process.ts';
import { canaryOf } from './scripted-answers.ts';
import type { ScheduleLog } from './schedule-log.ts';

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** The clients: send requests to a process and log the replies. */
export class ScheduleClient {
  readonly #log: ScheduleLog;
  readonly #tick: () => number;
  #serial = 0;

  constructor(log: ScheduleLog, tick: () => number) {
    this.#log = log;
    this.#tick = tick;
  }

  execute(process: ScheduleProcess, rootId: string, supersede: boolean): void {
    const message = `message ${(this.#serial += 1)} ${canaryOf(rootId)}`;
    const options = supersede ? { onMessageWhileSuspended: 'supersede' as const } : {};
    this.#ask(process, rootId, { kind: 'execute', message, supersede }, async () => {
      const { root } = process.tree;
      const handle = await process.executor.execute(root, message, {
        sessionId: rootId,
        ...options,
      });
      return { status: 'started', runId: handle.runId };
    });
  }

  resume(process: ScheduleProcess, rootId: string): void {
    this.#ask(process, rootId, { kind: 'resume' }, async () => {
      const handle = await process.executor.resume(rootId);
      return { status: 'started', runId: handle.runId };
    });
  }

  retry(process: ScheduleProcess, rootId: string): void {
    this.#ask(process, rootId, { kind: 'retry' }, async () => {
      const handle = await process.executor.retry(rootId);
      return { status: 'started', runId: handle.runId };
    });
  }

  interrupt(process: ScheduleProcess, rootId: string): void {
    this.#ask(process, rootId, { kind: 'interrupt' }, () => process.executor.interrupt(rootId));
  }

  abort(process: ScheduleProcess, rootId: string): void {
    this.#ask(process, rootId, { kind: 'abort' }, () => process.executor.abort(rootId));
  }

  sweep(process: ScheduleProcess): void {
    this.#ask(process, '', { kind: 'sweep' }, async () => {
      await process.executor.sweep();
      return { status: 'swept' };
    });
  }

  submit(process: ScheduleProcess, submission: SubmitToolResult): void {
    const request = { kind: 'submit' as const, submission };
    this.#ask(process, submission.sessionId, request, () =>
      process.executor.submitToolResult(submission),
    );
  }

  /** A submission like no other: its value tells which one took effect. */
  submission(rootId: string, row: OpenCallRow | undefined, how: SubmitHow): SubmitToolResult {
    const value = `answer ${(this.#serial += 1)} ${canaryOf(rootId)}`;
    const toolCallId = how === 'unknown-call' || !row ? `nothing-${value}` : row.toolCallId;
    const to = { sessionId: rootId, toolCallId };
    if (how === 'error') return { ...to, kind: 'client-tool-result', error: value };
    const approval = row?.kind === 'approval';
    if (how === 'wrong-kind') {
      return approval
        ? { ...to, kind: 'client-tool-result', result: value }
        : { ...to, kind: 'approval-response', approved: true };
    }
    if (!approval) {
      return { ...to, kind: 'client-tool-result', result: how === 'wrong-value' ? 7 : value };
    }
    if (how === 'deny') return { ...to, kind: 'approval-response', approved: false, reason: value };
    if (how === 'edit') {
      return {
        ...to,
        kind: 'approval-response',
        approved: true,
        input: { text: value, amount: 1 },
      };
    }
    if (how === 'wrong-value') {
      return { ...to, kind: 'approval-response', approved: true, approvalId: 'of another run' };
    }
    return { ...to, kind: 'approval-response', approved: true };
  }

  /** A request to a process that died gets no reply. */
  get open(): number {
    return this.#log.client.filter((entry) => entry.until === null).length;
  }

  #ask(
    process: ScheduleProcess,
    rootId: string,
    request: ClientRequest,
    work: () => Promise<{ readonly status: string; readonly runId?: string }>,
  ): void {
    const entry: Mutable<ClientOperation> = {
      at: this.#tick(),
      until: null,
      process: process.name,
      rootId,
      request,
      outcome: { kind: 'unknown' },
    };
    this.#log.client.push(entry);
    const done = (outcome: ClientOutcome): void => {
      entry.until = this.#tick();
      entry.outcome = outcome;
    };
    work().then(
      ({ status, runId }) =>
        done({ kind: 'ok', status, ...(runId === undefined ? {} : { runId }) }),
      (error: unknown) =>
        done(
          HelixError.isInstance(error) ? { kind: 'error', code: error.code } : { kind: 'unknown' },
        ),
    );
  }
}
