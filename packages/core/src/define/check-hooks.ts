import { HOOK_TABLE } from './hooks.ts';
import { refuseUnknownOptions } from './refuse-unknown.ts';

const LIKE_A_HOOK = /^(?:on|before|after)[A-Z]/;

/** Refuses a hook with an unknown name, which would never be called. Other members of the object are not checked. */
export function checkHooks(owner: string, hooks: object | undefined): void {
  if (!hooks) return;
  const named = Object.entries(hooks).filter(
    ([name, value]) => LIKE_A_HOOK.test(name) && typeof value === 'function',
  );
  refuseUnknownOptions(owner, Object.fromEntries(named), { of: 'hooks', known: HOOK_TABLE });
}
