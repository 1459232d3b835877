// Shared by agent-server and ai-sdk. One folder per idea:
//   request/   a body read once within limits, its value checked by a schema, the service that asks named in logs
//   response/  JSON, refusals, and any error as a response
//   sse/       the writer of server-sent events (their parser is the entry `./events`)
//   tail/      a stream of chunks followed live, read once for all its readers
//   node/      requests and responses of Node and Express as those of the web
export { answerNode } from './node/answer-node.ts';
export { sendResponse } from './node/node-response.ts';
export type { NodeRequest, NodeResponse } from './node/node-types.ts';
export { createBodyBudget } from './request/body-budget.ts';
export type { BodyBudget, BodyHold } from './request/body-budget.ts';
export { boundedArray, boundedRecord } from './request/bounded.ts';
export { forService } from './request/for-service.ts';
export { parseValue } from './request/parse-value.ts';
export {
  BODY_FACTOR,
  checkBodyHeaders,
  checkContentType,
  DEFAULT_BODY_LIMITS,
  readJsonBody,
} from './request/read-body.ts';
export type { ReadBody } from './request/read-body.ts';
export { errorResponse } from './response/error-response.ts';
export { json } from './response/json.ts';
export {
  HttpRefusal,
  invalidRequest,
  MAX_BODY_BYTES_HEADER,
  notFound,
  payloadTooLarge,
  unavailable,
} from './response/refusal.ts';
export {
  clearResumeCookie,
  createResumeCookie,
  readResumeCookie,
} from './response/resume-cookie.ts';
export { DEFAULT_READER_LIMITS, EVENT_STREAM_HEADERS, eventStream } from './sse/event-stream.ts';
export type { ReaderLimits } from './sse/event-stream.ts';
export { formatEvent, formatNamedEvent } from './sse/format-event.ts';
export { chunkFrame } from './tail/chunk-events.ts';
export type { ChunkEvent } from './tail/chunk-events.ts';
export { followStream } from './tail/follow-stream.ts';
export { streamTails } from './tail/stream-tails.ts';
