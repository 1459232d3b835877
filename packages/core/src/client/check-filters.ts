import { InvalidRequestError } from '../errors/request-errors.ts';
import type { OpenCallKind, RunStatus } from '../store/rows.ts';
import type { OpenCallFilter, SessionFilter } from '../store/session-store.ts';
import { checkBag } from './option-bags.ts';

const KINDS: { readonly [Kind in OpenCallKind]: true } = {
  client: true,
  approval: true,
};
const STATUSES: { readonly [Status in RunStatus]: true } = {
  running: true,
  completed: true,
  failed: true,
  interrupted: true,
  suspended_client_tool: true,
  suspended_awaiting_children: true,
  suspended_step_partial: true,
};

/** Refuses a filter that no call can match: it would show an empty inbox, and stores differ in how they handle such values. */
export function checkOpenCallFilter(filter: OpenCallFilter = {}): void {
  checkBag('listOpenCalls', filter);
  const { kind, dueBefore, limit } = filter;
  checkLimit(limit);
  for (const path of ['rootSessionId', 'userId', 'agentType', 'toolName'] as const)
    checkText(path, filter[path]);
  if (kind !== undefined) checkWord('kind', kind, KINDS);
  if (dueBefore === undefined || Number.isSafeInteger(dueBefore)) return;
  throw misfit('dueBefore', 'must be a time in whole milliseconds, as Date.now() gives it');
}

export function checkSessionFilter(filter: SessionFilter = {}): void {
  checkBag('listSessions', filter);
  const { status, tags } = filter;
  checkLimit(filter.limit);
  for (const path of ['userId', 'agentType'] as const) checkText(path, filter[path]);
  checkList('tags', tags);
  checkList('status', status);
  for (const one of status ?? []) checkWord('status', one, STATUSES);
}

function checkLimit(limit: number | undefined): void {
  if (limit === undefined || (Number.isSafeInteger(limit) && limit > 0)) return;
  throw misfit('limit', `must be a whole number above 0, not ${limit}`);
}

function checkText(path: string, text: unknown): void {
  if (text === undefined || typeof text === 'string') return;
  throw misfit(path, `must be a string, not ${text === null ? 'null' : `a ${typeof text}`}`);
}

function checkList(path: string, list: unknown): void {
  if (list === undefined || Array.isArray(list)) return;
  throw misfit(path, `must be a list, not ${JSON.stringify(list)}`);
}

function checkWord(path: string, word: string, words: object): void {
  if (Object.hasOwn(words, word)) return;
  throw misfit(
    path,
    `must be one of ${Object.keys(words).join(', ')}, not ${JSON.stringify(word)}`,
  );
}

function misfit(path: string, message: string): InvalidRequestError {
  return new InvalidRequestError([{ path, message }]);
}
