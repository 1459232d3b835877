import type { AgentConfig } from '../define/types.ts';
import { InvalidRequestError } from '../errors/request-errors.ts';
import type { ResumeOptions } from './types.ts';
import { checkSessionId } from './user-messages.ts';

/** A session by its id or with its options: what is resumed without its agent. */
export type ResumeTarget = string | ({ readonly sessionId: string } & ResumeOptions);

interface ResumeArguments {
  readonly sessionId: string;
  readonly agent?: AgentConfig;
  readonly options: ResumeOptions;
}

/** `(sessionId, options?)`, `({ sessionId, ...options }, options?)` or `(agent, sessionId, options?)`. */
export function resumeArguments(
  target: ResumeTarget | AgentConfig,
  second?: string | ResumeOptions,
  third?: ResumeOptions,
): ResumeArguments {
  const given = readArguments(target, second, third);
  checkSessionId(given.sessionId);
  return given;
}

function readArguments(
  target: ResumeTarget | AgentConfig,
  second?: string | ResumeOptions,
  third?: ResumeOptions,
): ResumeArguments {
  const options = typeof second === 'string' ? {} : toOptions(second);
  if (typeof target === 'string') return { sessionId: target, options };
  if (!isObject(target)) throw misfit('must be the id of a session');
  if ('sessionId' in target) {
    if (typeof target.sessionId !== 'string') throw misfit('must be the id of a session');
    return { sessionId: target.sessionId, options: { ...target, ...options } };
  }
  if (typeof second !== 'string') throw misfit('resume(agent, sessionId) needs the session id');
  return { sessionId: second, agent: target, options: toOptions(third) };
}

/** Refuses an agent in the place of the options: it would be ignored silently. */
function toOptions(given: ResumeOptions | null | undefined): ResumeOptions {
  if (given === undefined || given === null) return {};
  if (isObject(given) && !('systemPrompt' in given)) return given;
  throw misfit('the agent comes first: resume(agent, sessionId, options?)');
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function misfit(message: string): InvalidRequestError {
  return new InvalidRequestError([{ path: 'sessionId', message }]);
}
