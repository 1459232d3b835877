import type { JsonObject, JsonValue } from '../json.ts';

/** A file attached to a user message; `data` is a data URL or an https URL. */
export interface MessageFile {
  readonly data: string;
  readonly mediaType: string;
  readonly filename?: string;
}

export interface SystemMessage {
  readonly role: 'system';
  readonly content: string;
}

/** `metadata.hidden` marks a message the model sees and a person does not. */
export interface UserMessage {
  readonly role: 'user';
  readonly id?: string;
  readonly content: string;
  readonly files?: readonly MessageFile[];
  readonly metadata?: JsonObject;
}

/** What callers hand to `execute`. */
export type UserInputMessage = UserMessage;

/**
 * One call of a tool, as the transcript keeps it. `id` is unique in the tree of the root session;
 * `providerId` is what the model provider called it and is what the provider is shown again.
 */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonValue;
  /** The arguments as parsed by the tool's schema, if they differ. The model is not shown them. */
  readonly parsedArguments?: JsonValue;
  readonly providerId?: string;
}

export interface AssistantMessage {
  readonly role: 'assistant';
  readonly id?: string;
  readonly content: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly thinking?: string;
  /** Opaque data of the provider that its next turn needs (signatures, item ids). */
  readonly providerMetadata?: JsonObject;
  /** The model was stopped while it said this. */
  readonly stopped?: true;
}

export interface ToolErrorDetail {
  readonly code: string;
  readonly message: string;
}

/** What a person's answer adds to the result of a call, where there is something to add. */
export interface AnswerDetails {
  /** The edited input it ran with, or may have run with. The model is told. */
  readonly executedInput?: JsonValue;
  /** The edited input of an approved call that did not run. The model is told. */
  readonly editedInput?: JsonValue;
  /** What they said when they approved the call. The model is told. */
  readonly approvalReason?: string;
  /** Who answered, where the answer came with a name. The model is not told. */
  readonly answeredBy?: string;
  /** When they did. */
  readonly answeredAt?: number;
}

/** The one result of one call. `content` is what the model reads; `format` says how to read it back. */
export interface ToolMessage extends AnswerDetails {
  readonly role: 'tool';
  readonly id?: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly content: string;
  readonly format: 'text' | 'json';
  readonly success: boolean;
  readonly errorDetail?: ToolErrorDetail;
}

export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;
