import type { Dialect } from '../dialect.ts';
import { keyUserMessages } from './version-14-message-ids.ts';
import { showToOperators } from './version-14-operators.ts';
import { keepRawInput } from './version-14-raw-input.ts';

/** One list of statements per change. Frozen: a later change is a later version. Each statement may run again. */
export function version14(dialect: Dialect): readonly string[] {
  return [...keyUserMessages(dialect), ...keepRawInput(dialect), ...showToOperators(dialect)];
}
