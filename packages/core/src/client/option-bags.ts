import { InvalidRequestError } from '../errors/request-errors.ts';
import type { OpenCallFilter, SessionFilter } from '../store/session-store.ts';
import {
  findUnknownKey,
  unknownKeyText,
  type KnownKeys,
  type OtherNames,
} from '../util/known-keys.ts';
import type { BranchOptions } from './branch.ts';
import type { RecoverOptions, SuperviseOptions } from './recovery.ts';
import type { PruneOptions, TrimOptions } from './retention.ts';
import type {
  AbortOptions,
  AgentInput,
  CancelOptions,
  ExecuteOptions,
  ResumeOptions,
  StopOptions,
  StreamOptions,
  SubmitOptions,
} from './types.ts';

interface OptionBags {
  readonly 'the input of a run': Exclude<AgentInput, string>;
  readonly execute: ExecuteOptions;
  readonly resume: ResumeOptions & { readonly sessionId: string };
  readonly stream: StreamOptions;
  readonly submitToolResult: SubmitOptions;
  readonly cancelOpenCall: CancelOptions;
  readonly interrupt: StopOptions;
  readonly abort: AbortOptions;
  readonly branchSession: BranchOptions;
  readonly listSessions: SessionFilter;
  readonly listOpenCalls: OpenCallFilter;
  readonly supervise: SuperviseOptions;
  readonly recover: RecoverOptions;
  readonly pruneSessions: PruneOptions;
  readonly trimStreams: TrimOptions;
}

const BAGS: { readonly [Call in keyof OptionBags]: KnownKeys<OptionBags[Call]> } = {
  'the input of a run': { message: true, state: true },
  execute: {
    sessionId: true,
    ifExists: true,
    userId: true,
    tags: true,
    metadata: true,
    traceparent: true,
    tracestate: true,
    onMessageWhileSuspended: true,
    durability: true,
    hooks: true,
    hookManager: true,
    serviceName: true,
  },
  resume: {
    sessionId: true,
    mode: true,
    message: true,
    onMessageWhileSuspended: true,
    checkpointId: true,
    traceparent: true,
    ifRunning: true,
    serviceName: true,
  },
  stream: { afterSequence: true },
  submitToolResult: { answeredBy: true, maxResultBytes: true, serviceName: true },
  cancelOpenCall: { answeredBy: true, serviceName: true },
  interrupt: { runId: true, serviceName: true },
  abort: { runId: true, close: true, userId: true, serviceName: true },
  branchSession: { checkpointId: true, sessionId: true },
  listSessions: {
    status: true,
    agentType: true,
    userId: true,
    tags: true,
    metadata: true,
    rootsOnly: true,
    limit: true,
    cursor: true,
  },
  listOpenCalls: {
    rootSessionId: true,
    userId: true,
    agentType: true,
    kind: true,
    toolName: true,
    dueBefore: true,
    limit: true,
    cursor: true,
  },
  supervise: { everyMs: true, autoResume: true },
  recover: { autoResume: true },
  pruneSessions: { olderThan: true, statuses: true, limit: true, cursor: true },
  trimStreams: { olderThan: true, limit: true, cursor: true },
};

const OTHER_NAMES: { readonly [Call in keyof OptionBags]?: OtherNames } = {
  'the input of a run': { messages: 'message', prompt: 'message', content: 'message' },
  execute: {
    id: 'sessionId',
    session: 'sessionId',
    threadId: 'sessionId',
    usageStore: 'usageStore` of the executor, not of one run: `new JSAgentExecutor({ usageStore })',
  },
  resume: { from: 'checkpointId', additionalMessage: 'message' },
  listSessions: { statuses: 'status', agent: 'agentType', tag: 'tags', user: 'userId' },
  listOpenCalls: {
    sessionId: 'rootSessionId',
    tool: 'toolName',
    agent: 'agentType',
    user: 'userId',
  },
};

/**
 * Refuses an option or filter that does not exist: without it more would be done, or shown, than was asked for. `name` is what the
 * caller knows the call by.
 */
export function checkBag(
  call: keyof OptionBags,
  given: object | null | undefined,
  name: string = call,
): void {
  if (given === undefined || given === null) return;
  const known = BAGS[call];
  if (typeof given !== 'object' || Array.isArray(given)) throw notABag(name, known);
  const unknown = findUnknownKey(given, known, OTHER_NAMES[call]);
  if (!unknown) return;
  throw new InvalidRequestError([
    { path: unknown.key, message: unknownKeyText(unknown, name, known) },
  ]);
}

function notABag(name: string, known: object): InvalidRequestError {
  const keys = Object.keys(known).join(', ');
  const message = `options of ${name} must be an object with some of ${keys}`;
  return new InvalidRequestError([{ path: '', message }]);
}
