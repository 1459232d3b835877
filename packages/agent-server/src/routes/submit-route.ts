import {
  SessionNotFoundError,
  type SubmitOutcome,
  type SubmitToolResult,
} from '@helix-agents/core';
import { invalidRequest, json } from '@helix-agents/http';
import { z } from 'zod';
import type { Principal } from '../auth/authenticate.ts';
import { notConfigured } from '../http/not-configured.ts';
import type { Limit } from '../http/rate-limit.ts';
import { route, type AnyRoute, type Call } from '../http/route.ts';
import type { ServerParts } from '../parts.ts';
import { SessionId, SubmitExpired, SubmitTaken, SubmitUnknown } from '../schemas.ts';
import { answers } from './answers.ts';
import { visibleSession } from './run-routes.ts';

const STATUS: { readonly [Outcome in SubmitOutcome['status']]: number } = {
  accepted: 200,
  already_completed: 200,
  unknown_tool_call: 404,
  expired: 410,
};

/** One durable write; it never runs the agent. `also` adds headers to an answer that was taken. */
export function submitRoute(
  parts: ServerParts,
  limit: Limit,
  path: string,
  also: (sessionId: string, call: Call) => Promise<readonly [string, string][]> = async () => [],
): AnyRoute {
  return route<unknown, SubmitToolResult>({
    method: 'POST',
    path,
    operation: 'submit-tool-result',
    summary: "Stores a person's answer. It never runs the agent: resume after it.",
    body: parts.submitSchema,
    maxBodyBytes: parts.submitBodyBytes,
    answers: {
      200: { description: 'Taken now, or before', schema: SubmitTaken },
      404: {
        description: 'No such call, or it was cancelled or superseded',
        schema: SubmitUnknown,
      },
      410: { description: 'The deadline is past', schema: SubmitExpired },
      ...answers.tooMany,
      ...answers.any,
      ...answers.withBody,
    },
    async handle(call) {
      const { body, principal } = call;
      const outcome = await submit();
      const response = json(STATUS[outcome.status], outcome);
      if (outcome.status === 'accepted' || outcome.status === 'already_completed') {
        for (const [name, value] of await also(body.sessionId, call))
          response.headers.append(name, value);
      }
      return response;

      async function submit(): Promise<SubmitOutcome> {
        const executor = parts.executor();
        if (!executor.submitToolResult) throw notConfigured('an executor that takes answers');
        try {
          await visibleSession(parts, call);
        } catch (error) {
          if (!SessionNotFoundError.isInstance(error)) throw error;
          return { status: 'unknown_tool_call', reason: 'session_not_found' };
        }
        await limit(body.sessionId);
        const answeredBy = answererOf(principal, call.sentBody);
        const by = answeredBy === undefined ? {} : { answeredBy };
        const { maxResultBytes } = parts;
        return executor.submitToolResult(body, { ...by, maxResultBytes });
      }
    },
  });
}

const AnsweredBy = z.looseObject({ answeredBy: SessionId.optional() });

/** The sender; of one that answers for others also whom it names. */
function answererOf({ id, answersFor }: Principal, sentBody: unknown): string | undefined {
  if (!answersFor) return id;
  const { success, data } = AnsweredBy.safeParse(sentBody);
  if (!success) throw invalidRequest('answeredBy', 'must be a name of at most 256 characters');
  if (data.answeredBy === undefined) return id;
  return id === undefined ? data.answeredBy : `${id}/${data.answeredBy}`;
}
