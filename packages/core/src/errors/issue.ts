/** One fault found by a schema. `path` is dotted (`items.0.name`), empty for the value as a whole. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

export function describeIssues(issues: readonly Issue[]): string {
  return issues
    .map((issue) => (issue.path === '' ? issue.message : `${issue.path}: ${issue.message}`))
    .join('; ');
}
