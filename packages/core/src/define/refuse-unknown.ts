import { DefinitionError } from '../errors/setup-errors.ts';
import {
  findUnknownKey,
  unknownKeyText,
  type KnownKeys,
  type OtherNames,
} from '../util/known-keys.ts';

/** Which options something takes. */
export interface OptionNames<Options = never> {
  /** What they are options of: `defineTool`. */
  readonly of: string;
  readonly known: [Options] extends [never] ? object : KnownKeys<Options>;
  /** What people write for an option that is called otherwise here. */
  readonly otherNames?: OtherNames;
}

/**
 * Refuses an option that does not exist. The compiler does not see those that come in by a spread, and what was meant to be
 * switched on, an approval for example, would be off without a word.
 */
export function refuseUnknownOptions(
  owner: string,
  given: object,
  { of, known, otherNames }: OptionNames,
): void {
  const unknown = findUnknownKey(given, known, otherNames);
  if (!unknown) return;
  throw new DefinitionError(`${owner}: \`${unknown.key}\` ${unknownKeyText(unknown, of, known)}`);
}
