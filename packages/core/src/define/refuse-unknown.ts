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
  /** Other names for options, for the suggestion in the error. */
  readonly otherNames?: OtherNames;
}

/**
 * Refuses an option that does not exist. The compiler does not see options that come in by a spread, and an option that was
 * meant to be on, an approval for example, would be silently off.
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
