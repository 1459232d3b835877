// What `@helix-agents/http/events` exports. Written by `npm run api`; a report to read and compare, not a module.

export interface ServerEvent {
    readonly id: string | null;
    readonly event: string;
    readonly data: string;
}

export declare function parseEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent, undefined>;
