// What `@helix-agents/testing/wire` exports. Written by `npm run api`; a report to read and compare, not a module.

export declare const SIGNATURE: string;

export declare const USAGE: Required<TokenCounts>;

export interface WireAnswer {
    readonly thinking?: string;
    readonly text?: readonly string[];
    readonly calls?: readonly WireCall[];
    readonly stop?: 'length' | 'filter';
}

export interface WireCall {
    readonly id: string;
    readonly name: string;
    readonly input: readonly string[];
}

export interface WireFormat {
    answer(answer: WireAnswer): WireReply;
    failure(answer: WireAnswer, kind: 'overloaded' | 'server'): WireReply;
    error(status: number, message: string, headers?: {
        readonly [name: string]: string;
    }): WireReply;
}

export interface WireReply {
    readonly status?: number;
    readonly headers?: {
        readonly [name: string]: string;
    };
    readonly body: readonly string[];
    readonly cutAt?: number;
    readonly ending?: 'close' | 'destroy' | 'hang';
}

export interface WireServer {
    readonly url: string;
    readonly bodies: readonly string[];
    readonly headers: readonly IncomingHttpHeaders[];
    readonly left: number;
    reply(...replies: readonly WireReply[]): void;
    close(): Promise<void>;
}

export declare const anthropicMessages: WireFormat;

export declare const openaiChat: WireFormat;

export declare const openaiResponses: WireFormat;

export declare function startWire(answer?: (body: string) => WireReply): Promise<WireServer>;
