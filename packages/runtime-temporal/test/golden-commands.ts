import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import type { GoldenHistory } from './golden-files.ts';

type Event = NonNullable<GoldenHistory['events']>[number];

/** What a workflow asked for, as its history has it, in the words of `command-interceptors.ts`. */
export function commandsOf(history: GoldenHistory): string[] {
  return (history.events ?? []).flatMap((event) => {
    const command = commandOf(event);
    return command ? [JSON.stringify(command)] : [];
  });
}

function commandOf(event: Event): [string, unknown] | null {
  const {
    activityTaskScheduledEventAttributes: activity,
    timerStartedEventAttributes: timer,
    startChildWorkflowExecutionInitiatedEventAttributes: child,
  } = event;
  if (activity)
    return ['activity', [activity.activityType?.name, argsOf(activity.input?.payloads)]];
  if (timer) return ['timer', Number(timer.startToFireTimeout?.seconds ?? 0)];
  if (child) {
    const { workflowId, workflowType, input } = child;
    return ['child', [workflowType?.name, workflowId, argsOf(input?.payloads)]];
  }
  return null;
}

function argsOf(payloads: readonly Payload[] | null | undefined): unknown[] {
  return (payloads ?? []).map((payload) => defaultPayloadConverter.fromPayload(payload));
}
