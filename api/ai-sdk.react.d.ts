// What `@helix-agents/ai-sdk/react` exports. Written by `npm run api`; a report to read and compare, not a module.

export interface ApprovalAnswer {
    readonly toolCallId: string;
    readonly approved: boolean;
    readonly reason?: string | undefined;
    readonly input?: unknown;
}

export interface CardChat extends ToolChat {
    readonly respondToApproval: (answer: ApprovalAnswer) => Promise<void>;
}

export interface ConnectionOptions {
    readonly headers?: HeadersInit | (() => HeadersInit | Promise<HeadersInit>);
    readonly credentials?: RequestCredentials;
    readonly fetch?: typeof globalThis.fetch;
    readonly giveUpAfterMs?: number;
    readonly onConnectionChange?: (connected: boolean) => void;
}

export type HelixChatHelpers<Message extends UIMessage = UIMessage> = UseChatHelpers<Message> & {
    readonly isLoading: boolean;
    readonly connected: boolean;
    readonly respondToApproval: (answer: ApprovalAnswer) => Promise<void>;
    readonly interrupt: () => Promise<void>;
    readonly resync: () => Promise<boolean>;
};

export type HelixChatRequestOptions = HelixReconnectRequestOptions;

export interface HelixReconnectRequestOptions {
    readonly api?: string;
    readonly resumeFromSequence?: number | undefined;
    readonly existingMessageId?: string | undefined;
    readonly aiSdk?: 6 | 7;
}

export interface HydratedSnapshot {
    readonly messages: readonly object[];
    readonly streamSequence: number;
    readonly existingMessageId?: string;
    readonly status?: string;
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

export type ResumableChatHelpers<Message extends UIMessage = UIMessage> = HelixChatHelpers<Message>;

export interface ToolCallCard<Input = unknown, Output = unknown> {
    readonly toolName: string;
    readonly toolCallId: string;
    readonly status: ToolCallStatus;
    readonly asks: 'approval' | 'result' | null;
    readonly input: Input | undefined;
    readonly toEdit: unknown;
    readonly output: Output | undefined;
    readonly error: string | undefined;
    readonly reason: string | undefined;
    readonly agentType: string | undefined;
    readonly approve: (edited?: unknown) => Promise<void>;
    readonly deny: (reason?: string) => Promise<void>;
    readonly answer: (output: Output) => void;
    readonly fail: (errorText: string) => void;
}

export type ToolCallStatus = 'preparing' | 'waiting' | 'sent' | 'running' | 'done' | 'denied' | 'failed' | 'closed';

export interface ToolChat {
    readonly id?: string;
    readonly messages: readonly {
        readonly role: string;
        readonly parts: readonly object[];
    }[];
    addToolOutput(output: {
        readonly tool: never;
        readonly toolCallId: string;
        readonly output: never;
    } | {
        readonly state: 'output-error';
        readonly tool: never;
        readonly toolCallId: string;
        readonly errorText: string;
    }): unknown;
}

export type ToolHandler<Input = never, Output = unknown> = (input: Input, context: {
    readonly toolCallId: string;
    readonly abortSignal: AbortSignal;
}) => Output | Promise<Output>;

export type ToolHandlers = {
    readonly [toolName: string]: ToolHandler;
};

export type ToolHandlersOf<Message> = Message extends UIMessage<unknown, infer _Data, infer Tools> ? string extends keyof Tools ? ToolHandlers : {
    readonly [Name in keyof Tools]?: ToolHandler<Tools[Name]['input'], Tools[Name]['output']>;
} : ToolHandlers;

export interface ToolPart {
    readonly type: string;
    readonly toolCallId: string;
    readonly state: string;
    readonly input?: unknown;
    readonly output?: unknown;
    readonly errorText?: string | undefined;
    readonly providerExecuted?: boolean | undefined;
    readonly approval?: {
        readonly approved?: boolean;
        readonly reason?: string | undefined;
    };
    readonly toolMetadata?: unknown;
}

export interface UseAutoResyncOptions {
    readonly id: string;
    readonly status: 'submitted' | 'streaming' | 'ready' | 'error';
    readonly resync: () => Promise<unknown>;
    readonly waiting?: boolean;
    readonly intervalMs?: number | false;
}

export interface UseHelixChatOptions<Message extends UIMessage = UIMessage> extends Omit<HelixChatTransportOptions, 'resumeFromSequence' | 'existingMessageId' | 'onConnectionChange'> {
    readonly id: string;
    readonly snapshot?: HydratedSnapshot | null;
    readonly toolHandlers?: ToolHandlersOf<Message>;
    readonly onToolError?: UseResumeClientToolsOptions['onError'];
    readonly resume?: boolean;
    readonly resyncIntervalMs?: number | false;
    readonly onError?: (error: Error) => void;
    readonly onFinish?: () => void;
    readonly onData?: (part: {
        readonly type: string;
        readonly data: unknown;
    }) => void;
    readonly throttle?: number;
    readonly generateId?: () => string;
    readonly initialMessages?: Message[];
}

export interface UseResumeClientToolsOptions {
    readonly chat: ToolChat;
    readonly toolHandlers: ToolHandlers;
    readonly onError?: (error: unknown, call: {
        readonly toolName: string;
        readonly toolCallId: string;
    }) => void;
}

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

export declare function useAutoResync(options: UseAutoResyncOptions): void;

export declare function useHelixChat<Message extends UIMessage = UIMessage>(options: UseHelixChatOptions<Message>): HelixChatHelpers<Message>;

export declare function useHelixSendAutomaticallyWhen(): ReturnType<typeof createHelixSendAutomaticallyWhen>;

export declare function useResumableChat<Message extends UIMessage = UIMessage>(options: Omit<UseHelixChatOptions<Message>, 'snapshot' | 'initialMessages' | 'resume'>): ResumableChatHelpers<Message>;

export declare function useResumeClientTools(options: UseResumeClientToolsOptions): void;

export declare function useToolCall<Part extends ToolPart>(chat: CardChat, part: Part): ToolCallCard<InputOf<Part>, OutputOf<Part>>;

export declare function withoutWithdrawn<Message extends Shown>(messages: Message[]): Message[];
