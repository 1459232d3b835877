// What `@helix-agents/ai-sdk/client` exports. Written by `npm run api`; a report to read and compare, not a module.

export {
  HelixPayloadTooLargeError,
  HelixStreamError,
} from '@helix-agents/core';

export interface ConnectionOptions {
    readonly headers?: HeadersInit | (() => HeadersInit | Promise<HeadersInit>);
    readonly credentials?: RequestCredentials;
    readonly fetch?: typeof globalThis.fetch;
    readonly giveUpAfterMs?: number;
    readonly onConnectionChange?: (connected: boolean) => void;
}

export type HelixChatRequestOptions = HelixReconnectRequestOptions;

export interface HelixChatTransportOptions extends HelixReconnectRequestOptions, ConnectionOptions {
    readonly body?: object | (() => object);
}

export interface HelixReconnectRequestOptions {
    readonly api?: string;
    readonly resumeFromSequence?: number | undefined;
    readonly existingMessageId?: string | undefined;
    readonly aiSdk?: 6 | 7;
}

export type InferAgentUIMessage<Agent, Data extends UIDataTypes = NoData> = UIMessage<unknown, {
    subagent: SubAgentData;
} & Data, InferAgentUITools<Agent>>;

export type InferAgentUITools<Agent> = {
    [T in InferAgentTools<Agent> as T extends Tool<never, unknown, infer Name> ? Name : never]: {
        input: InferToolInput<T>;
        output: InferToolOutput<T>;
    };
};

export interface ResumableChatTransport<Message extends UIMessage = UIMessage> extends ChatTransport<Message> {
    readonly resumeStreamIsReplay: true;
    readonly lastSequence: () => number | undefined;
    readonly seen: (sequence: number) => void;
    readonly forget: () => void;
}

export declare function createHelixChatTransport<Message extends UIMessage = UIMessage>(options?: HelixChatTransportOptions): ResumableChatTransport<Message>;

export declare function createHelixSendAutomaticallyWhen(): (options: {
    readonly messages: readonly AnsweredMessage[];
}) => boolean;

export declare function prepareHelixChatRequest(options?: HelixChatRequestOptions): (request: ChatRequest) => {
    api: string;
    headers: Record<string, string>;
    body: object;
};

export declare function prepareHelixReconnectRequest(options?: HelixReconnectRequestOptions): (request: {
    readonly id: string;
    readonly api: string;
    readonly headers?: HeadersInit | undefined;
}) => {
    api: string;
    headers: Record<string, string>;
};

export declare function withoutWithdrawn<Message extends Shown>(messages: Message[]): Message[];
