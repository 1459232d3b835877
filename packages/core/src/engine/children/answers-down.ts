import type { CallUpdate } from '../../store/commit-plan.ts';
import { callKey, callKeyText } from '../../store/call-key.ts';
import type { ChildInOwnStore, ReachedChild } from '../rows/child-view.ts';

/** Answers in the parent's store for calls that are open in the child's own store. */
export function answersFor(child: ReachedChild): CallUpdate[] {
  switch (child.place) {
    case 'same-store':
      return [];
    case 'own-store':
      return answersDown(child);
  }
}

function answersDown(child: ChildInOwnStore): CallUpdate[] {
  const open = new Set(child.callsThere.filter((row) => row.state === 'open').map(callKeyText));
  return child.callsHere
    .filter((row) => row.state === 'answered' && open.has(callKeyText(row)))
    .map((row) => {
      const { outcome, answer, answeredBy, answeredAt } = row;
      const set = { state: 'answered' as const, outcome, answer, answeredBy, answeredAt };
      return { key: callKey(row), set, onlyIf: 'open' as const };
    });
}
