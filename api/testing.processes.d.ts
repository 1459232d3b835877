// What `@helix-agents/testing/processes` exports. Written by `npm run api`; a report to read and compare, not a module.

export interface ProcessStores {
    readonly stateStore: SessionStateStore & StateStore;
    readonly streamManager: FullStreamManager;
}

export interface StoreCommands {
    commit: {
        readonly given: {
            readonly tries: number;
        };
        readonly result: number[];
    };
    moveStatus: {
        readonly given: {
            readonly times: number;
        };
        readonly result: StatusOperation[];
    };
    append: {
        readonly given: {
            readonly name: string;
            readonly count: number;
        };
        readonly result: null;
    };
    answer: {
        readonly given: {
            readonly toolCallIds: readonly string[];
            readonly value: string;
        };
        readonly result: string[];
    };
    create: {
        readonly given: {
            readonly ids: readonly string[];
        };
        readonly result: string[];
    };
}

export declare function obeyStoreCommand(command: string, stores: ProcessStores): Promise<string>;
