import type { AnswerDetails } from '../messages/message.ts';
import type { OpenCallRow } from './rows.ts';

export type Answerer = Pick<AnswerDetails, 'answeredBy' | 'answeredAt'>;

/** Who answered a call, and when; empty if the answer came without a name. */
export function answererOf({ answeredBy, answeredAt }: OpenCallRow): Answerer {
  if (answeredBy === null) return {};
  return answeredAt === null ? { answeredBy } : { answeredBy, answeredAt };
}
