// What `@helix-agents/llm-vercel` exports. Written by `npm run api`; a report to read and compare, not a module.

export interface LanguageModel {
    readonly specificationVersion: SpecificationVersion;
    readonly provider: string;
    readonly modelId: string;
    doStream(options: CallOptions): PromiseLike<{
        readonly stream: ReadableStream<unknown>;
    }>;
}

export declare class ProviderError extends HelixError {
    readonly name: string;
    readonly retryAfterMs?: number;
    constructor(options: HelixErrorOptions & {
        readonly retryAfterMs?: number | undefined;
    });
}

export declare class VercelAIAdapter implements LLMAdapter {
    constructor(options?: VercelAIAdapterOptions);
    generateStep(input: LLMGenerateInput): Promise<StepResult>;
}

export interface VercelAIAdapterOptions {
    readonly model?: LanguageModel | readonly LanguageModel[];
    readonly logger?: Logger;
    readonly acceptMissingFinishReason?: boolean;
}

export declare function mapVercelError(error: unknown, options?: {
    readonly now?: number;
}): HelixError;
