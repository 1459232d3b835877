/** The part of Node's `IncomingMessage`, and of Express's request, that is used. */
export interface NodeRequest {
  readonly method?: string | undefined;
  /** In Express without the path that the handler is mounted under. */
  readonly url?: string | undefined;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  readonly httpVersionMajor?: number | undefined;
  /** Set if a body parser ran before. */
  readonly body?: unknown;
  /** Set by Express, which takes a trusted proxy into account. */
  readonly protocol?: string | undefined;
  readonly socket?: object | undefined;
  on(event: 'data', listener: (bytes: Uint8Array) => void): unknown;
  on(event: 'end' | 'close', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  pause(): unknown;
  resume(): unknown;
}

/** The part of Node's `ServerResponse` that is used. */
export interface NodeResponse {
  statusCode: number;
  readonly headersSent: boolean;
  /** The connection is gone. */
  readonly destroyed?: boolean;
  readonly writableFinished?: boolean;
  setHeader(name: string, value: string | readonly string[]): unknown;
  flushHeaders(): void;
  write(bytes: Uint8Array): boolean;
  end(): unknown;
  destroy(): unknown;
  on(event: 'close' | 'drain' | 'error' | 'finish', listener: () => void): unknown;
}
