// What `@helix-agents/testing/tree` exports. Written by `npm run api`; a report to read and compare, not a module.

export type CommitPurpose = 'create' | 'claim' | 'takeover' | 'supersede' | 'begin' | 'plan' | 'start' | 'result' | 'child-create' | 'child-claim' | 'continuation' | 'raise' | 'collect' | 'close' | 'suspend' | 'interrupt' | 'end' | 'close-child' | 'other';

export interface PlanFacts {
    readonly purpose: CommitPurpose;
    readonly below: boolean;
    readonly index?: number;
    readonly calls: number;
    readonly chunks?: readonly string[];
}

export interface SessionDump {
    readonly session: SessionRow;
    readonly step: StepRows;
    readonly messages: readonly Message[];
    readonly sequences: readonly number[];
    readonly runs: readonly RunRow[];
    readonly references: readonly ChildReferenceRow[];
    readonly checkpoints: number;
}

export interface TreeDump {
    readonly sessions: readonly SessionDump[];
    readonly calls: readonly OpenCallRow[];
    readonly chunks: readonly StoredChunk[];
    readonly stream: StreamInfo | null;
}

export interface TreeSource {
    readonly databases: Databases;
    readonly streamManager: FullStreamManager;
}

export declare function checkTree(dump: TreeDump): string[];

export declare function dumpTree(source: TreeSource, rootId: string): Promise<TreeDump>;

export declare function factsOfPlan(plan: CommitPlan): PlanFacts;
