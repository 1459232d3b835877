/** A stop request, stamped with the run it is meant for; deleted by the commit that obeys it. */
export interface InterruptRow {
  readonly sessionId: string;
  readonly runId: string;
  readonly reason: string | null;
  readonly scope: InterruptScope;
  readonly timestamp: number;
}

/** Whether a stop is meant for the whole tree or for one unit of it. */
export type InterruptScope = 'tree' | 'unit';
