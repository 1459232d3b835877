import type { UIMessage } from 'ai';
import { useEffect, useRef } from 'react';

/** Runs a client tool in the page. What it returns is the tool's result; what it throws is its error. */
export type ToolHandler<Input = never, Output = unknown> = (
  input: Input,
  context: { readonly toolCallId: string; readonly abortSignal: AbortSignal },
) => Output | Promise<Output>;

export type ToolHandlers = { readonly [toolName: string]: ToolHandler };

/** Handlers for the tools that the messages of a chat know, each with the types of its tool; any where they know none. */
export type ToolHandlersOf<Message> =
  Message extends UIMessage<unknown, infer _Data, infer Tools>
    ? string extends keyof Tools
      ? ToolHandlers
      : {
          readonly [Name in keyof Tools]?: ToolHandler<Tools[Name]['input'], Tools[Name]['output']>;
        }
    : ToolHandlers;

/** What the hook needs of `useChat`. */
export interface ToolChat {
  /** The session's id: calls of different sessions may have the same id. */
  readonly id?: string;
  readonly messages: readonly { readonly role: string; readonly parts: readonly object[] }[];
  addToolOutput(
    output:
      | { readonly tool: never; readonly toolCallId: string; readonly output: never }
      | {
          readonly state: 'output-error';
          readonly tool: never;
          readonly toolCallId: string;
          readonly errorText: string;
        },
  ): unknown;
}

export interface UseResumeClientToolsOptions {
  readonly chat: ToolChat;
  readonly toolHandlers: ToolHandlers;
  readonly onError?: (
    error: unknown,
    call: { readonly toolName: string; readonly toolCallId: string },
  ) => void;
}

/**
 * Runs the page's own tools when the agent calls them, once per call, also those that were waiting when the page was
 * loaded. With several tabs open, one of them does it. Calls that wait for an approval are left alone.
 */
export function useResumeClientTools(options: UseResumeClientToolsOptions): void {
  const latest = useRef(options);
  latest.current = options;
  const begun = useRef(new Set<string>());
  /** Calls that another tab of this browser was seen to run. */
  const elsewhere = useRef(new Set<string>());
  const leaving = useRef<AbortController>(null);
  const { messages } = options.chat;

  useEffect(() => {
    const controller = new AbortController();
    leaving.current = controller;
    return () => controller.abort();
  }, []);

  useEffect(() => {
    const last = messages.at(-1);
    if (last?.role !== 'assistant') return;
    for (const part of last.parts as readonly CalledPart[]) {
      const toolName = part.type.slice(TOOL.length);
      if (!isCall(part) || !Object.hasOwn(latest.current.toolHandlers, toolName)) continue;
      if (begun.current.has(part.toolCallId)) continue;
      begun.current.add(part.toolCallId);
      const signal = leaving.current?.signal ?? new AbortController().signal;
      const settled = (withinMs: number): Promise<boolean> =>
        untilSettled(() => latest.current.chat.messages, part.toolCallId, signal, withinMs);
      const work = async (): Promise<void> => {
        // The tab that ran the call may have answered, and this tab may not know it yet.
        if (elsewhere.current.has(part.toolCallId) && (await settled(HEARSAY_MS))) return;
        await run(latest.current, toolName, part, signal);
        // The lock is held a moment longer: another tab may only now receive the call.
        if (await settled(SETTLE_MS)) await pause(HEARSAY_MS);
      };
      void oncePerBrowser(`${latest.current.chat.id ?? ''}:${part.toolCallId}`, work).then(
        (done) => {
          if (done) return;
          // Another tab runs the call; if it fails, this tab tries again.
          elsewhere.current.add(part.toolCallId);
          begun.current.delete(part.toolCallId);
        },
      );
    }
  }, [messages]);
}

const TOOL = 'tool-';

interface CalledPart {
  readonly type: string;
  readonly toolCallId: string;
  readonly state?: string;
  readonly input?: unknown;
  readonly providerExecuted?: boolean;
  readonly approval?: unknown;
}

function isCall(part: CalledPart): boolean {
  const waits = part.state === 'input-available' && !part.providerExecuted && !part.approval;
  return waits && part.type.startsWith(TOOL);
}

async function run(
  { chat, toolHandlers, onError }: UseResumeClientToolsOptions,
  toolName: string,
  { toolCallId, input }: CalledPart,
  abortSignal: AbortSignal,
): Promise<void> {
  const tool = toolName as never;
  try {
    const output = await toolHandlers[toolName]?.(input as never, { toolCallId, abortSignal });
    // Not awaited: it would wait for the stream it is answering.
    if (!abortSignal.aborted)
      void chat.addToolOutput({ tool, toolCallId, output: output as never });
  } catch (error) {
    if (abortSignal.aborted) return;
    onError?.(error, { toolName, toolCallId });
    const errorText = error instanceof Error ? error.message : String(error);
    void chat.addToolOutput({ state: 'output-error', tool, toolCallId, errorText });
  }
}

/**
 * Waits until the server has the answer. The tab that runs a call holds its lock until then, because other tabs would run
 * it again. False if that is not seen within this time.
 */
async function untilSettled(
  messages: () => ToolChat['messages'],
  toolCallId: string,
  signal: AbortSignal,
  withinMs: number,
): Promise<boolean> {
  const open = (): boolean =>
    (messages().at(-1)?.parts as readonly CalledPart[] | undefined)?.some(
      (part) => part.toolCallId === toolCallId && !part.providerExecuted,
    ) ?? false;
  for (let waited = 0; open() && !signal.aborted && waited < withinMs; waited += SETTLE_LOOK_MS) {
    await pause(SETTLE_LOOK_MS);
  }
  return !open();
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}

const SETTLE_MS = 10_000;
/** How long a tab may take to hear what another one did. */
const HEARSAY_MS = 1_000;
const SETTLE_LOOK_MS = 100;

/** False if another tab of this browser holds the lock. */
async function oncePerBrowser(call: string, work: () => Promise<void>): Promise<boolean> {
  const locks = globalThis.navigator?.locks;
  if (!locks) return work().then(() => true);
  return locks.request(`helix-tool-${call}`, { ifAvailable: true }, async (lock) => {
    if (lock) await work();
    return lock !== null;
  });
}
