/** A place in a trace, as W3C Trace Context writes it down: `00-<trace>-<span>-<flags>`. */
export interface TraceParent {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits: the span that new ones are below. */
  readonly spanId: string;
  /** Two hex digits; the last bit says whether the trace is recorded. */
  readonly flags: string;
}

const FORM = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ZEROS = /^0+$/;

/** Null for what is no traceparent. One of a later version is read as far as this version knows it. */
export function parseTraceParent(text: unknown): TraceParent | null {
  const [, version, traceId, spanId, flags, more] = FORM.exec(String(text)) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  if (version === '00' && more !== undefined) return null;
  return ZEROS.test(traceId) || ZEROS.test(spanId) ? null : { traceId, spanId, flags };
}

export function formatTraceParent({ traceId, spanId, flags }: TraceParent): string {
  return `00-${traceId}-${spanId}-${flags}`;
}
