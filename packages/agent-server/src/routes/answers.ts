import type { AnswerShape } from '../http/route.ts';
import { ErrorAnswer } from '../schemas.ts';

const refusal = (description: string): AnswerShape => ({ description, schema: ErrorAnswer });

/** What any authenticated route may answer. */
type Answers = Readonly<Record<number, AnswerShape>>;

const ANY: Answers = {
  400: refusal('INVALID_REQUEST: `details` says what to correct'),
  401: refusal('UNAUTHENTICATED'),
  403: refusal(
    'FORBIDDEN: the token is for another session, the request comes from another site, or a listing is not for the caller',
  ),
  426: refusal('PROTOCOL_UNSUPPORTED: this version of x-helix-protocol is not spoken here'),
  431: { description: 'Of the platform: address or headers are too long' },
  500: refusal('INTERNAL_ERROR: logged here, nothing of it is told'),
  501: refusal('NOT_CONFIGURED: says which part the server was made without'),
  503: refusal('UNAVAILABLE: send it again after Retry-After'),
};

const WITH_BODY: Answers = {
  408: refusal('REQUEST_TIMEOUT: the body took too long'),
  411: refusal('LENGTH_REQUIRED: send Content-Length'),
  413: refusal('PAYLOAD_TOO_LARGE'),
  415: refusal('UNSUPPORTED_MEDIA_TYPE: send application/json'),
};

const NOT_FOUND: Answers = { 404: refusal('NOT_FOUND: no such session, or none of yours') };
const CONFLICT: Answers = {
  409: refusal(
    'run_already_running, session_suspended (with toolCallIds), session_not_resumable or ALREADY_COMPLETED; with x-helix-protocol also START_TOO_LATE and START_DIFFERS',
  ),
};

const TOO_MANY: Answers = { 429: refusal('RATE_LIMITED: send it again after Retry-After') };

export const answers: {
  readonly any: Answers;
  readonly withBody: Answers;
  readonly notFound: Answers;
  readonly conflict: Answers;
  readonly tooMany: Answers;
} = {
  any: ANY,
  withBody: WITH_BODY,
  notFound: NOT_FOUND,
  conflict: CONFLICT,
  tooMany: TOO_MANY,
};
