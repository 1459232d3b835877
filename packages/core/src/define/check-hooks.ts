import { DefinitionError } from '../errors/setup-errors.ts';
import { HOOK_TABLE } from './hooks.ts';
import { refuseUnknownOptions } from './refuse-unknown.ts';

const LIKE_A_HOOK = /^(?:on|before|after|around)[A-Z]/;

/**
 * Refuses a hook that would never be called: one with an unknown name, or that is no function. Other members of the object are not
 * checked.
 */
export function checkHooks(owner: string, hooks: unknown): void {
  if (hooks === undefined) return;
  if (typeof hooks !== 'object' || hooks === null || Array.isArray(hooks))
    throw new DefinitionError(`${owner}: \`hooks\` must be an object of functions.`);
  const named = Object.entries(hooks).filter(
    ([name, value]) => LIKE_A_HOOK.test(name) && typeof value === 'function',
  );
  const known = { ...HOOK_TABLE, aroundModelCall: true, aroundTool: true };
  refuseUnknownOptions(owner, Object.fromEntries(named), { of: 'hooks', known });
  for (const name of Object.keys(known)) {
    const hook: unknown = Reflect.get(hooks, name);
    if (hook !== undefined && typeof hook !== 'function')
      throw new DefinitionError(`${owner}: the hook \`${name}\` must be a function.`);
  }
}
