import { DefinitionError } from '@helix-agents/core';

/** Refuses an option that has no meaning, which is mostly one that was misspelt. */
export function checkOptions(options: object, known: readonly string[], of: string): void {
  const unknown = Object.keys(options ?? {}).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new DefinitionError(`\`${unknown}\` is no option of ${of}: it takes ${known.join(', ')}.`);
}
