import type { CommitPlan, SessionStore } from '@helix-agents/core/store';
import type { Hold } from './agents.ts';

/** What a write does to a session, in one word. */
function purposeFor(plan: CommitPlan, sessionId: string): string | null {
  const update = plan.sessions?.find((one) => one.sessionId === sessionId)?.set;
  const { status } = update ?? {};
  if (status?.startsWith('suspended_')) return 'suspend';
  if (status === 'interrupted' || status === 'completed') return status;
  if (plan.remove?.journal?.some((one) => one.sessionId === sessionId)) return 'close';
  return update?.started ? 'started' : recordOf(plan, sessionId);
}

function recordOf(plan: CommitPlan, sessionId: string): string | null {
  return plan.insert?.journal?.find((one) => one.sessionId === sessionId)?.kind ?? null;
}

/** A store whose writes may be held before they are sent, or after they were applied and before anybody hears. */
export function heldStore(store: SessionStore, hold: Hold): SessionStore {
  return new Proxy(store, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      if (property !== 'commit') return value.bind(target) as unknown;
      return async (plan: CommitPlan): Promise<boolean> => {
        const purpose = purposeFor(plan, plan.rootId);
        if (purpose) await hold(plan.rootId, `before ${purpose}`);
        const applied = await target.commit(plan);
        if (purpose) await hold(plan.rootId, `after ${purpose}`);
        return applied;
      };
    },
  });
}
