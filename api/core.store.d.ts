// What `@helix-agents/core/store` exports. Written by `npm run api`; a report to read and compare, not a module.

export interface AnswerCall {
    readonly key: CallKey;
    readonly outcome: CallOutcomeName;
    readonly answer: CallAnswer;
    readonly answeredBy: string | null;
    readonly submissionId?: string;
    readonly now: number;
    readonly only?: {
        readonly kind: OpenCallKind;
        readonly approvalId?: string;
    };
}

export type AnswerCallResult = {
    readonly found: false;
}
 | {
    readonly found: true;
    readonly taken: boolean;
    readonly row: OpenCallRow;
};

export interface AppendOptions {
    readonly create?: boolean;
}

export interface BaseChunk {
    readonly agentId: string;
    readonly agentType: string;
    readonly timestamp: number;
    readonly step: number;
}

export type CallAnswer = {
    readonly kind: 'result';
    readonly value: JsonValue;
} | {
    readonly kind: 'error';
    readonly error: string;
} | {
    readonly kind: 'approved';
    readonly input?: JsonValue;
    readonly parsed?: ParsedInput;
    readonly reason?: string;
} | {
    readonly kind: 'denied';
    readonly reason?: string;
} | {
    readonly kind: 'none';
};

export type CallClass = 'server' | 'client' | 'approval' | 'subagent' | 'finish'
 | 'settled';

export interface CallKey {
    readonly rootId: string;
    readonly toolCallId: string;
    readonly part: string;
}

export type CallOutcome = {
    readonly success: true;
    readonly value: JsonValue;
} | {
    readonly success: false;
    readonly error: ToolErrorDetail;
};

export interface CallResult extends AnswerDetails {
    readonly outcome: CallOutcome;
    readonly writes?: readonly StateWrite[];
}

export type CallState = 'open' | 'answered' | 'settled';

export interface CallUpdate {
    readonly key: CallKey;
    readonly set: Partial<Omit<OpenCallRow, keyof CallKey>>;
    readonly onlyIf?: CallState;
}

export interface CarriedStreams {
    readonly database: object;
    wake(streamId: string): Promise<void>;
}

export interface CarryingSessions {
    readonly database: object;
}

export interface CheckpointRow {
    readonly sessionId: string;
    readonly version: number;
    readonly checkpointId: string;
    readonly runId: string;
    readonly stepId: number;
    readonly stepCount: number;
    readonly status: RunStatus;
    readonly messageCount: number;
    readonly customState: JsonValue;
    readonly streamSequence: number;
    readonly timestamp: number;
}

export interface ChildReferenceRow {
    readonly sessionId: string;
    readonly subSessionId: string;
    readonly agentType: string;
    readonly parentToolCallId: string;
    readonly stepId: number;
    readonly index: number;
    readonly state: ReferenceState;
    readonly continuation: number;
    readonly status: 'active' | 'completed' | 'failed';
    readonly remote: JsonValue | null;
    readonly mode: 'ephemeral' | 'persistent';
    readonly name: string | null;
    readonly generation: number;
    readonly started: boolean;
    readonly told: number;
    readonly asked: number;
    readonly wake: boolean;
    readonly closingStep: number | null;
    readonly closingAt: number | null;
    readonly closeReason: CloseReason | null;
    readonly startedAt: number;
    readonly completedAt: number | null;
}

export type CloseReason = 'aborted' | 'superseded' | 'timeout' | 'failed';

export interface CommitGuard {
    readonly sessions?: readonly SessionGuard[];
    readonly callsOpen?: readonly CallKey[];
    readonly calls?: readonly {
        readonly key: CallKey;
        readonly state: CallState;
        readonly outcome: CallOutcomeName;
    }[];
    readonly references?: readonly {
        readonly sessionId: string;
        readonly subSessionId: string;
        readonly state: ReferenceState;
    }[];
    readonly journalAbsent?: readonly Pick<JournalRow, 'sessionId' | 'stepId' | 'index' | 'kind'>[];
    readonly interruptsAbsent?: readonly {
        readonly sessionId: string;
        readonly runId: string;
    }[];
    readonly interruptsPresent?: readonly {
        readonly sessionId: string;
        readonly runId: string;
        readonly scope?: InterruptScope;
    }[];
}

export interface CommitInserts {
    readonly sessions?: readonly SessionRow[];
    readonly messages?: readonly MessageRow[];
    readonly journal?: readonly JournalRow[];
    readonly calls?: readonly OpenCallRow[];
    readonly references?: readonly ChildReferenceRow[];
    readonly checkpoints?: readonly CheckpointRow[];
    readonly runs?: readonly RunRow[];
    readonly usage?: readonly UsageRow[];
}

export type CommitKind = 'create' | 'claim' | 'lease' | 'record' | 'step' | 'suspend' | 'end' | 'answer' | 'abandon' | 'edit';

export interface CommitPlan {
    readonly kind: CommitKind;
    readonly rootId: string;
    readonly commitId: string;
    readonly now: number;
    readonly guard: CommitGuard;
    readonly sessions?: readonly SessionUpdate[];
    readonly insert?: CommitInserts;
    readonly update?: CommitUpdates;
    readonly remove?: CommitRemovals;
    readonly stream?: StreamWrite;
}

export interface CommitRemovals {
    readonly journal?: readonly {
        readonly sessionId: string;
        readonly stepId: number;
    }[];
    readonly interrupts?: readonly {
        readonly sessionId: string;
        readonly runId: string;
    }[];
    readonly messagesAfter?: readonly {
        readonly sessionId: string;
        readonly sequence: number;
    }[];
    readonly checkpointsAfter?: readonly {
        readonly sessionId: string;
        readonly version: number;
    }[];
}

export interface CommitUpdates {
    readonly calls?: readonly CallUpdate[];
    readonly references?: readonly ReferenceUpdate[];
    readonly runs?: readonly RunUpdate[];
    readonly inputs?: readonly InputUpdate[];
}

export interface DeleteGuard {
    readonly version: number;
}

export interface DueWork {
    readonly overdueTops: readonly SessionRef[];
    readonly deadTops: readonly SessionRow[];
    readonly remindableTops: readonly SessionRef[];
    readonly answeredTops: readonly SessionRow[];
    readonly wakeableTops: readonly SessionRow[];
    readonly unreportedTops: readonly SessionRow[];
    readonly closing: readonly {
        readonly parent: SessionRef;
        readonly subSessionId: string;
    }[];
    readonly purgeableTops: readonly SessionRef[];
}

export type FullStreamManager = Required<StreamManager>;

export interface InputRow extends SessionRef {
    readonly inputId: string;
    readonly kind: InputKind;
    readonly seq: number;
    readonly sender: string | null;
    readonly content: JsonValue;
    readonly end: number;
    readonly wake: boolean;
    readonly state: InputState;
    readonly createdAt: number;
    readonly settledAt: number | null;
    readonly purgeAt: number | null;
}

export interface InputUpdate {
    readonly sessionId: string;
    readonly inputId: string;
    readonly set: Partial<Pick<InputRow, 'state' | 'settledAt' | 'purgeAt'>>;
    readonly onlyIf?: InputState;
}

export interface InterruptRow {
    readonly sessionId: string;
    readonly runId: string;
    readonly reason: string | null;
    readonly scope: InterruptScope;
    readonly timestamp: number;
}

export type InterruptScope = 'tree' | 'unit';

export type JournalKind = JournalRow['kind'];

export type JournalRow = {
    readonly sessionId: string;
    readonly stepId: number;
    readonly index: number;
    readonly createdAt: number;
} & ({
    readonly kind: 'plan';
    readonly data: StepRecord;
} | {
    readonly kind: 'start';
    readonly data: CallStart;
} | {
    readonly kind: 'result';
    readonly data: CallResult;
} | {
    readonly kind: 'stopped';
    readonly data: StoppedText;
}
 | {
    readonly kind: 'withdrawn';
    readonly data: {
        readonly steps: readonly LeftStep[];
    };
} | {
    readonly kind: 'pin';
    readonly data: CapabilityPin;
});

export declare const LOG_PAGE = 256;

export declare const LOG_PAGE_BYTES = 65536;

export interface LeaseState {
    readonly owned: boolean;
    readonly interrupted: boolean;
}

export type ListPosition = readonly [number, ...string[]];

export interface LockLease {
    readonly key: string;
    readonly token: number;
    renew(ttlMs: number): Promise<boolean>;
    release(): Promise<boolean>;
}

export interface LogSource {
    page(after: number, limit: number): Promise<LogPage | null>;
    subscribe(listener: () => void): () => void;
    readonly pollMs: number;
}

export declare const MAX_WAITING_MESSAGES = 64;

export interface MessageRow {
    readonly sessionId: string;
    readonly sequence: number;
    readonly message: Message;
    readonly createdAt: number;
}

export type NoticeRefusal = 'no_session'
 | 'not_live'
 | 'told';

export type ParsedInput = {
    readonly kind: 'same';
} | {
    readonly kind: 'json' | 'form';
    readonly value: JsonValue;
};

export interface PlannedCall {
    readonly index: number;
    readonly callId: string;
    readonly toolName: string;
    readonly class: CallClass;
    readonly execution: ToolExecution;
    readonly timeoutMs: number | null;
    readonly input: JsonValue;
    readonly parsed?: ParsedInput;
    readonly child?: {
        readonly agentType: string;
        readonly sessionId: string;
    };
    readonly result?: CallResult;
}

export interface PutInput extends SessionRef {
    readonly inputId: string;
    readonly sender: string | null;
    readonly content: JsonValue;
    readonly now: number;
    readonly person?: {
        readonly messageId: string;
        readonly userId?: string | null;
    };
}

export type PutInputResult = 
{
    readonly found: true;
    readonly put: boolean;
    readonly row: InputRow;
    readonly status: RunStatus;
} | {
    readonly found: false;
    readonly why: PutRefusal;
    readonly status: RunStatus | null;
};

export interface PutNotice extends SessionRef {
    readonly inputId: string;
    readonly childId: string;
    readonly end: number;
    readonly content: JsonValue;
    readonly now: number;
}

export type PutNoticeResult = {
    readonly found: true;
    readonly put: boolean;
    readonly row: InputRow;
    readonly status: RunStatus;
} | {
    readonly found: false;
    readonly why: NoticeRefusal;
    readonly status: RunStatus | null;
};

export type PutRefusal = 'no_session' | 'closed'
 | 'status' | 'other_user'
 | 'in_transcript'
 | 'full';

export declare const RECEIVING: readonly RunStatus[];

export interface RenewLease extends SessionRef {
    readonly epoch: number;
    readonly owner: string;
    readonly extendMs: number | null;
    readonly now: number;
}

export interface SessionGuard {
    readonly sessionId: string;
    readonly absent?: true;
    readonly version?: number;
    readonly epoch?: number;
    readonly stepId?: number;
    readonly records?: number;
    readonly status?: readonly RunStatus[];
    readonly closed?: false;
    readonly leaseExpired?: true;
}

export interface SessionIndex {
    findRoot(sessionId: string): Promise<string | null>;
    listSessions(filter?: SessionFilter): Promise<Page<SessionRow>>;
    listOpenCalls(filter?: OpenCallFilter): Promise<Page<OpenCallRow>>;
    findDue(input: {
        readonly now: number;
        readonly hostKind: string;
        readonly limit: number;
        readonly except?: readonly string[];
    }): Promise<DueWork>;
}

export interface SessionRef {
    readonly rootId: string;
    readonly sessionId: string;
}

export interface SessionStore {
    readSession(ref: SessionRef): Promise<SessionRow | null>;
    readStep(ref: SessionRef): Promise<StepRows | null>;
    readJournal(ref: SessionRef, stepId: number): Promise<readonly JournalRow[]>;
    readMessages(ref: SessionRef, range?: {
        readonly after?: number;
        readonly limit?: number;
    }): Promise<readonly MessageRow[]>;
    readMessage(ref: SessionRef, messageId: string): Promise<MessageRow | null>;
    readCalls(rootId: string, only?: Pick<CallKey, 'toolCallId' | 'part'>): Promise<readonly OpenCallRow[]>;
    readReferences(ref: SessionRef): Promise<readonly ChildReferenceRow[]>;
    readInputs(ref: SessionRef, only?: {
        readonly inputId?: string;
        readonly sender?: string;
    }): Promise<readonly InputRow[]>;
    readRuns(ref: SessionRef, range?: {
        readonly last?: number;
    }): Promise<readonly RunRow[]>;
    readCheckpoints(ref: SessionRef, range?: {
        readonly before?: number;
        readonly limit?: number;
    }): Promise<readonly CheckpointRow[]>;
    commit(plan: CommitPlan): Promise<boolean>;
    answerCall(input: AnswerCall): Promise<AnswerCallResult>;
    expireCalls(top: SessionRef, now: number): Promise<readonly OpenCallRow[]>;
    takeReminders(top: SessionRef, now: number): Promise<readonly OpenCallRow[]>;
    purgeCalls(top: SessionRef, now: number): Promise<number>;
    putInput(input: PutInput): Promise<PutInputResult>;
    putNotice(input: PutNotice): Promise<PutNoticeResult>;
    report(ref: SessionRef, end: number): Promise<void>;
    purgeInputs(top: SessionRef, now: number): Promise<number>;
    requestInterrupt(ref: SessionRef, reason: string | null, now: number, only?: {
        readonly runId?: string;
        readonly scope?: InterruptScope;
    }): Promise<InterruptRow | null>;
    renewLease(input: RenewLease): Promise<LeaseState>;
    deleteSession(ref: SessionRef, guard?: DeleteGuard): Promise<boolean>;
}

export interface SessionUpdate {
    readonly sessionId: string;
    readonly set?: Partial<Omit<SessionRow, 'sessionId' | 'rootId' | 'route' | 'unitId' | 'version' | 'records' | 'createdAt'>>;
    readonly raise?: {
        readonly version?: true;
        readonly records?: true;
    };
}

export type StateWrite = {
    readonly op: 'set';
    readonly path: StatePath;
    readonly value: JsonValue;
} | {
    readonly op: 'remove';
    readonly path: StatePath;
} | {
    readonly op: 'append';
    readonly path: StatePath;
    readonly values: readonly JsonValue[];
};

export interface StepRecord {
    readonly message: AssistantMessage;
    readonly calls: readonly PlannedCall[];
    readonly stop: boolean;
    readonly writes?: readonly StateWrite[];
    readonly notes?: readonly UserMessage[];
}

export interface StepRows {
    readonly session: SessionRow;
    readonly interrupt: InterruptRow | null;
    readonly journal: readonly JournalRow[];
    readonly calls: readonly OpenCallRow[];
    readonly references: readonly ChildReferenceRow[];
    readonly children: readonly SessionRow[];
    readonly inputs: readonly InputRow[];
}

export type StreamClose = {
    readonly as: 'paused';
} | {
    readonly as: 'ended';
    readonly output?: JsonValue;
} | {
    readonly as: 'failed';
    readonly error: string;
};

export interface StreamEntry {
    readonly chunk: StreamChunk;
    readonly dedupeKey?: string;
}

export interface StreamInfo {
    readonly status: StreamStatus;
    readonly head: number;
    readonly chunkCount: number;
}

export type StreamStatus = 'active' | 'paused' | 'ended' | 'failed';

export interface StreamWrite {
    readonly streamId: string;
    readonly agentId: string;
    readonly agentType: string;
    readonly entries: readonly StreamEntry[];
    readonly close?: StreamClose;
}

export type ToolExecution = 'retry' | 'once';

export interface UsageEntry {
    readonly id: string;
    readonly sessionId: string;
    readonly rootId: string;
    readonly runId: string;
    readonly stepCount: number;
    readonly timestamp: number;
    readonly kind: UsageKind;
    readonly source: {
        readonly type: string;
        readonly name: string;
    };
    readonly data: JsonObject;
}

export type UsageKind = 'tokens' | 'tool' | 'subagent' | 'custom';

export interface UsageRow {
    readonly id: string;
    readonly sessionId: string;
    readonly rootId: string;
    readonly runId: string;
    readonly stepCount: number;
    readonly kind: UsageKind;
    readonly sourceType: string;
    readonly sourceName: string;
    readonly data: JsonObject;
    readonly timestamp: number;
}

export declare function callFits(row: OpenCallRow, filter: OpenCallFilter): boolean;

export declare function callKey({ rootId, toolCallId, part, }: Omit<CallKey, 'part'> & Partial<Pick<CallKey, 'part'>>): CallKey;

export declare function callKeyText({ rootId, toolCallId, part }: CallKey): string;

export declare function canCarry(sessions: SessionStore & Partial<CarryingSessions>, streams: StreamManager & Partial<CarriedStreams>): streams is StreamManager & CarriedStreams;

export declare function checkNode({ process, Bun, Deno }?: NodeGlobals): void;

export declare function companionPlace(parent: SessionPlace, sessionId: string): SessionPlace;

export declare function createAppendWriter(streamId: string, append: (streamId: string, entries: readonly StreamEntry[]) => Promise<unknown>): StreamWriter;

export declare function createLogReader<T>(source: LogSource, afterSequence: number, view: (stored: StoredChunk) => T, onClose: () => void): StreamReader<T>;

export declare function createSharedReads<Page>(read: (streamId: string, after: number, limit: number) => Promise<Page>): (streamId: string, after: number, limit: number) => Promise<Page>;

export declare function frozenCopy<T>(value: T): T;

export declare function inputIdOfCall(place: CallPlace): string;

export declare function inputIdOfMessage(clientId: string): string;

export declare function inputIdOfNotice(childId: string, end: number): string;

export declare function isRoot({ rootId, sessionId }: SessionRef): boolean;

export declare function isTop({ sessionId, unitId }: Pick<SessionRow, 'sessionId' | 'unitId'>): boolean;

export declare function marksWake(status: RunStatus, kind: 'message' | 'notice', wake: boolean): boolean;

export declare function parentIdOf({ route }: Pick<SessionRow, 'route'>): string | null;

export declare function readCursor(cursor: string, ids: number): ListPosition;

export declare function readTurnRuns(store: Pick<SessionStore, 'readRuns' | 'readMessages'>, ref: SessionRef, message?: Pick<MessageRow, 'createdAt' | 'sequence'>): Promise<readonly RunRow[]>;

export declare function refuseNotice(parent: Receiver | null, reference: Pick<ChildReferenceRow, 'state' | 'told'> | null, { end }: Pick<PutNotice, 'end'>): NoticeRefusal | null;

export declare function refusePut(receiver: Receiver | null, { person }: Pick<PutInput, 'person'>, found: {
    readonly waitingMessages: number;
    readonly isInTranscript: boolean;
}): PutRefusal | null;

export declare function rollupUsage(entries: Iterable<UsageEntry>): UsageRollup;

export declare function rootRef(rootId: string): SessionRef;

export declare function sessionFits(row: SessionRow, filter: SessionFilter): boolean;

export declare function toCursor(given: number): number;

export declare function toLimit(given?: number): number;

export declare function toLockMs(ttlMs: number): number;

export declare function topRef({ rootId, unitId }: Pick<SessionRow, 'rootId' | 'unitId'>): SessionRef;

export declare function usageEntryFromRow(row: UsageRow): UsageEntry;

export declare function usageRowFromEntry(entry: UsageEntry): UsageRow;

export declare function userMessageId(message: Message): string | undefined;

export declare function writeCursor(position: ListPosition): string;
