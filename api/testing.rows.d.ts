// What `@helix-agents/testing/rows` exports. Written by `npm run api`; a report to read and compare, not a module.

export declare const T0 = 1800000000000;

export declare function callRow(toolCallId: string, given?: Partial<OpenCallRow>): OpenCallRow;

export declare function checkpointRow(version: number, given?: Partial<CheckpointRow>): CheckpointRow;

export declare function freshCommitId(): string;

export declare function messageRow(sequence: number, given?: Partial<MessageRow>): MessageRow;

export declare function planFor(session: SessionRow, parts?: Partial<CommitPlan>): CommitPlan;

export declare function planRow(given?: JournalPlace & {
    readonly data?: StepRecord;
}): JournalRow;

export declare function recordFor(session: SessionRow, insert: CommitInserts): CommitPlan;

export declare function refOf(row: SessionRef): SessionRef;

export declare function referenceRow(subSessionId: string, given?: Partial<ChildReferenceRow>): ChildReferenceRow;

export declare function resultRow(value: JsonValue, given?: JournalPlace): JournalRow;

export declare function runRow(runId: string, given?: Partial<RunRow>): RunRow;

export declare function seed(store: SessionStore, insert: CommitInserts & {
    readonly sessions: readonly [SessionRow, ...SessionRow[]];
}): Promise<void>;

export declare function sessionRow(given?: Partial<SessionRow>): SessionRow;

export declare function settledCallRow(toolCallId: string, given?: Partial<OpenCallRow>): OpenCallRow;

export declare function startRow(attempt: string, given?: JournalPlace): JournalRow;

export declare function usageRow(id: string, given?: Partial<UsageRow>): UsageRow;
