import type { Issue } from '@helix-agents/core';

/** Most issues in one response. */
export const MAX_ISSUES = 20;
const MAX_TEXT = 500;

/** The first issues, shortened: the size of a response does not depend on the size of the request. */
export function fewIssues(issues: readonly Issue[]): readonly Issue[] {
  return issues.slice(0, MAX_ISSUES).map(({ path, message, ...more }) => ({
    ...more,
    path: shorten(path),
    message: shorten(message),
  }));
}

function shorten(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
