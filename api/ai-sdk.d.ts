// What `@helix-agents/ai-sdk` exports. Written by `npm run api`; a report to read and compare, not a module.

export {
  HelixPayloadTooLargeError,
  HelixStreamError,
  findExpiredPending,
} from '@helix-agents/core';

export {
  clearResumeCookie,
  createResumeCookie,
} from '@helix-agents/http';

export type ChatChunk = CommonChatChunk | LaterChatChunk;

export interface ChatDependencies {
    readonly executor: AgentExecutor;
    readonly stateStore: SessionStateStore & StateStore;
    readonly streamManager: StreamManager;
    readonly agent: AgentConfig;
    readonly contentReplayEnabled?: boolean;
    readonly onMessageWhileSuspended?: 'supersede' | 'reject';
    readonly onMessageWhileRunning?: 'interrupt' | 'reject';
    readonly executeOptions?: Omit<ExecuteOptions, 'sessionId' | 'onMessageWhileSuspended'>;
    readonly heartbeatMs?: number;
    readonly bufferBytes?: number;
    readonly stallMs?: number;
    readonly maxBodyBytes?: number;
    readonly logger?: Logger;
}

export interface ChatMessage {
    readonly id: string;
    readonly role: 'user' | 'assistant';
    readonly parts: ChatPart[];
}

export type ChatPart = {
    readonly type: 'step-start';
} | {
    readonly type: 'text';
    readonly text: string;
    readonly state: 'streaming' | 'done';
} | {
    readonly type: 'reasoning';
    readonly text: string;
    readonly state: 'streaming' | 'done';
} | {
    readonly type: 'file';
    readonly url: string;
    readonly mediaType: string;
    readonly filename?: string;
} | ChatToolPart | ChatDataPart;

export interface ChatPosition {
    readonly sequence: number;
    readonly index: number;
}

export interface ChatSnapshot {
    readonly sessionId: string;
    readonly messages: readonly ChatMessage[];
    readonly state: JsonValue;
    readonly streamSequence: number;
    readonly status: RunStatus | 'empty';
    readonly existingMessageId?: string;
    readonly timestamp: number;
}

export interface ChatStreamParams {
    readonly sessionId?: string;
    readonly messages?: readonly unknown[];
    readonly body?: unknown;
    readonly session?: SessionRow | null;
    readonly request?: Request;
    readonly userId?: string;
    readonly checkAnswer?: (answer: SubmitToolResult) => Promise<void>;
    readonly maxResultBytes?: number;
    readonly access?: 'own' | 'all';
    readonly serviceName?: string;
}

export type ChatToolPart = ToolPartBase & ({
    readonly state: 'input-streaming';
    readonly input: undefined;
} | {
    readonly state: 'input-available';
    readonly input: JsonValue;
} | {
    readonly state: 'approval-requested';
    readonly input: JsonValue;
    readonly approval: {
        readonly id: string;
    };
} | {
    readonly state: 'approval-responded';
    readonly input: JsonValue;
    readonly approval: Decision;
} | {
    readonly state: 'output-available';
    readonly input: JsonValue;
    readonly output: JsonValue;
    readonly approval?: Decision & {
        readonly approved: true;
    };
} | {
    readonly state: 'output-error';
    readonly input: JsonValue;
    readonly errorText: string;
    readonly approval?: Decision & {
        readonly approved: true;
    };
} | {
    readonly state: 'output-denied';
    readonly input: JsonValue;
    readonly approval: Decision & {
        readonly approved: false;
    };
});

export type CommonChatChunk = {
    readonly type: 'start';
    readonly messageId: string;
} | {
    readonly type: 'start-step';
} | {
    readonly type: 'finish-step';
} | {
    readonly type: 'text-start' | 'text-end';
    readonly id: string;
} | {
    readonly type: 'text-delta';
    readonly id: string;
    readonly delta: string;
} | {
    readonly type: 'reasoning-start' | 'reasoning-end';
    readonly id: string;
} | {
    readonly type: 'reasoning-delta';
    readonly id: string;
    readonly delta: string;
} | ({
    readonly type: 'tool-input-start';
} & ToolName) | {
    readonly type: 'tool-input-delta';
    readonly toolCallId: string;
    readonly inputTextDelta: string;
} | ({
    readonly type: 'tool-input-available';
    readonly input: JsonValue;
} & ToolName) | ({
    readonly type: 'tool-input-error';
    readonly input: JsonValue;
    readonly errorText: string;
} & ToolName) | {
    readonly type: 'tool-approval-request';
    readonly approvalId: string;
    readonly toolCallId: string;
} | {
    readonly type: 'tool-output-available';
    readonly toolCallId: string;
    readonly output: JsonValue;
    readonly providerExecuted: true;
} | {
    readonly type: 'tool-output-error';
    readonly toolCallId: string;
    readonly errorText: string;
    readonly providerExecuted: true;
} | {
    readonly type: 'tool-output-denied';
    readonly toolCallId: string;
} | {
    readonly type: `data-${string}`;
    readonly data: JsonValue;
    readonly id?: string;
    readonly transient?: true;
} | {
    readonly type: 'error';
    readonly errorText: string;
} | {
    readonly type: 'abort';
    readonly reason?: string;
} | {
    readonly type: 'finish';
    readonly finishReason: 'stop' | 'tool-calls' | 'other';
};

export declare class FrontendHandlerError extends HttpRefusal {
    readonly name: string;
    readonly statusCode: number;
    constructor(code: ErrorCode, statusCode: number, message: string);
}

export type HelixChatRequestOptions = HelixReconnectRequestOptions;

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

export type LaterChatChunk = {
    readonly type: 'tool-approval-response';
    readonly approvalId: string;
    readonly approved: boolean;
    readonly reason?: string;
} | {
    readonly type: 'reset-step';
};

export interface ResumeIntent {
    readonly resumeFromSequence?: number;
    readonly existingMessageId?: string;
    readonly position?: ChatPosition;
    readonly source: 'header' | 'cookie' | 'none';
}

export interface SubAgentData {
    readonly toolCallId: string;
    readonly agentType: string;
    readonly sessionId: string;
    readonly status: 'running' | 'completed' | 'failed';
    readonly output?: JsonValue;
    readonly error?: string;
}

export interface UIMessagesOptions extends TranscriptOptions {
    readonly offset?: number;
    readonly limit?: number;
}

export interface UIMessagesPage {
    readonly messages: readonly ChatMessage[];
    readonly hasMore: boolean;
}

export declare function buildSnapshot(deps: Omit<ChatDependencies, 'agent'>, sessionId: string): Promise<ChatSnapshot>;

export declare function extractResumeIntent(request: {
    readonly headers: Headers;
}, sessionId?: string): ResumeIntent;

export declare function getUIMessages({ stateStore }: {
    readonly stateStore: SessionStateStore;
}, sessionId: string, options?: UIMessagesOptions): Promise<UIMessagesPage>;

export declare function handleChatSnapshot(given: ChatDependencies, params: {
    readonly sessionId: string;
    readonly request?: Request;
    readonly session?: SessionRow | null;
    readonly serviceName?: string;
}): Promise<Response>;

export declare function handleChatStream(given: ChatDependencies, params: ChatStreamParams): Promise<Response>;

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
