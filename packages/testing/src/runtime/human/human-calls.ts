import type { Scenario } from '../world.ts';
import { deadlinesExpireOnce } from './deadlines-expire-once.ts';

/** Everything about people that are asked, in sessions whose every run is in a process of its own. */
export function humanCalls(it: Scenario): void {
  for (const property of properties) property(it);
}

const properties: readonly ((it: Scenario) => void)[] = [deadlinesExpireOnce];
