/**
 * The trace context of a session: where in which trace its turn belongs. It is in the metadata of the session, under the names that W3C
 * Trace Context gives it, so that it is stored by the claim of the turn, survives every process, shows in listings and goes on to
 * sub-agents.
 *
 * I1. A turn has the context that its `execute` was given, or none: the claim of the next turn replaces it.
 * I2. Resumes, retries and takeovers keep it. A resume that comes with a context of its own leaves it as `tracelink`.
 * I3. A sub-agent gets the context of the call that made it: the trace of its root, below the span of that call.
 */
import type { JsonObject } from '../json.ts';
import type { SessionRow } from '../store/rows.ts';
import { sha256Hex } from '../util/sha256.ts';
import { formatTraceParent, parseTraceParent, type TraceParent } from './traceparent.ts';

/** A trace context as it is given to `execute`. */
export interface TraceContext {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

/** What is stored with a turn. */
export interface StoredTrace extends TraceContext {
  /** The traceparent of the request that resumed it. */
  readonly tracelink?: string;
}

/** The parts of a session that its ids come from. */
export type TracedSession = Pick<
  SessionRow,
  'rootId' | 'sessionId' | 'turn' | 'resumeCount' | 'metadata'
>;

/** Says in `tracestate` that a trace id was derived here: nobody has decided yet whether the trace is recorded. */
export const DERIVED_STATE = 'helix=derived';
const RECORDED = '01';

/** Which turn of the session it is in, from 1. A retry counts as one, a resume does not. */
export function turnOf({ turn, resumeCount }: Pick<SessionRow, 'turn' | 'resumeCount'>): number {
  return Math.max(1, turn - resumeCount);
}

export function storedTrace({ traceparent, tracestate, tracelink }: JsonObject): StoredTrace {
  return {
    ...(typeof traceparent === 'string' && parseTraceParent(traceparent) && { traceparent }),
    ...(typeof tracestate === 'string' && { tracestate }),
    ...(typeof tracelink === 'string' && parseTraceParent(tracelink) && { tracelink }),
  };
}

/** The metadata of a session with the context of its next turn in place of the one before (I1). */
export function withTrace(metadata: JsonObject, trace: TraceContext | undefined): JsonObject {
  const { traceparent: _parent, tracestate: _state, tracelink: _link, ...rest } = metadata;
  if (trace?.traceparent === undefined) return rest;
  const { traceparent, tracestate } = trace;
  return { ...rest, traceparent, ...(tracestate !== undefined && { tracestate }) };
}

/** The same turn, resumed by that request (I2). */
export function withTraceLink(metadata: JsonObject, traceparent: string | undefined): JsonObject {
  const { tracelink: _link, ...rest } = metadata;
  return traceparent === undefined ? rest : { ...rest, tracelink: traceparent };
}

/** The names of metadata that are kept for it. */
export const TRACE_NAMES = ['traceparent', 'tracestate', 'tracelink'] as const;

export function hasTrace(metadata: JsonObject): boolean {
  return TRACE_NAMES.some((name) => Object.hasOwn(metadata, name));
}

/** Hex digits that the same parts always give, in every process. */
export function deriveId(digits: 16 | 32, ...parts: readonly (string | number)[]): string {
  return sha256Hex(JSON.stringify(parts)).slice(0, digits);
}

/** The span of a call, `(session, step, index)`: of its tool, of the agent it asks, of the person it waits for. */
export function callSpanId(sessionId: string, stepId: number, index: number): string {
  return deriveId(16, sessionId, 'call', stepId, index);
}

/** The trace of a turn: the one it was given, else one that follows from root and turn. */
export function turnTrace(session: TracedSession): { traceId: string; flags: string } {
  const given = parseTraceParent(session.metadata['traceparent']);
  return given ?? { traceId: deriveId(32, session.rootId, turnOf(session)), flags: RECORDED };
}

/** The context of what a call does, for whoever it asks (I3). */
export function callTrace(
  session: TracedSession,
  stepId: number,
  index: number,
): Required<Pick<TraceContext, 'traceparent'>> & TraceContext {
  const { traceId, flags } = turnTrace(session);
  const spanId = callSpanId(session.sessionId, stepId, index);
  const parent: TraceParent = { traceId, spanId, flags };
  const { traceparent: given, tracestate } = storedTrace(session.metadata);
  const state = given === undefined ? DERIVED_STATE : tracestate;
  return {
    traceparent: formatTraceParent(parent),
    ...(state !== undefined && { tracestate: state }),
  };
}
