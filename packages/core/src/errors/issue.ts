/** One fault found by a schema. `path` is dotted (`items.0.name`), empty for the value as a whole. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** Most issues that are reported: a long list may have one for each of its items. */
const MAX_DESCRIBED = 20;

export function describeIssues(issues: readonly Issue[]): string {
  const described = issues
    .slice(0, MAX_DESCRIBED)
    .map((issue) => (issue.path === '' ? issue.message : `${issue.path}: ${issue.message}`))
    .join('; ');
  const more = issues.length - MAX_DESCRIBED;
  return more > 0 ? `${described}; and ${more} more` : described;
}
