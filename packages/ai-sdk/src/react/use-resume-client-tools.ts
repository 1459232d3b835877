import { useEffect, useRef } from 'react';

/** Runs a client tool in the page. What it returns is the tool's result; what it throws is its error. */
export type ToolHandler = (
  input: never,
  context: { readonly toolCallId: string; readonly abortSignal: AbortSignal },
) => unknown;

export type ToolHandlers = { readonly [toolName: string]: ToolHandler };

/** What the hook needs of `useChat`. */
export interface ToolChat {
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
      void oncePerBrowser(part.toolCallId, () => run(latest.current, toolName, part, signal));
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

/** Another tab that is at it does not need help. */
async function oncePerBrowser(toolCallId: string, work: () => Promise<void>): Promise<void> {
  const locks = globalThis.navigator?.locks;
  if (!locks) return work();
  await locks.request(`helix-tool-${toolCallId}`, { ifAvailable: true }, async (lock) => {
    if (lock) await work();
  });
}
