// Tells what a workflow asks of Temporal, with arguments: replay alone compares the order and the names.
import {
  proxySinks,
  workflowInfo,
  type Sinks,
  type WorkflowInterceptors,
} from '@temporalio/workflow';

export interface CommandSinks extends Sinks {
  commands: { asked(workflowId: string, command: string): void };
}

const { commands } = proxySinks<CommandSinks>();

const tell = (kind: string, details: unknown): void =>
  commands.asked(workflowInfo().workflowId, JSON.stringify([kind, details]));

/** @public Temporal finds it by this name. */
export const interceptors = (): WorkflowInterceptors => ({
  outbound: [
    {
      scheduleActivity(input, next) {
        tell('activity', [input.activityType, input.args]);
        return next(input);
      },
      startTimer(input, next) {
        tell('timer', Math.floor(input.durationMs / 1_000));
        return next(input);
      },
      startChildWorkflowExecution(input, next) {
        tell('child', [input.workflowType, input.options.workflowId, input.options.args]);
        return next(input);
      },
    },
  ],
});
