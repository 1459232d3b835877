import type { CallResult, CallWait, OpenCallRow } from '../../store/rows.ts';

/** The wait that an answered row has behind it; none while it is open. */
export function waitOf(row: OpenCallRow): Pick<CallResult, 'wait'> {
  const { kind, outcome, openedAt, answeredAt, answer, settledAt } = row;
  if (outcome === null) return {};
  const reason = answer?.kind === 'denied' ? answer.reason : undefined;
  const wait: CallWait = {
    kind,
    outcome,
    openedAt,
    answeredAt: answeredAt ?? settledAt ?? openedAt,
    ...(reason ? { reason } : {}),
  };
  return { wait };
}
