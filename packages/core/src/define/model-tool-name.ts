import { DefinitionError } from '../errors/setup-errors.ts';

const MAX_NAME = 64;

/** What every provider takes as the name of a tool. */
export function checkModelToolName(owner: string, name: string): void {
  if (name.length <= MAX_NAME && /^[A-Za-z_][\w-]*$/.test(name)) return;
  throw new DefinitionError(
    `${owner}: model providers refuse this name; use letters, digits, _ and -, a letter or _ first, at most ${MAX_NAME} in all${suggestion(name)}.`,
  );
}

function suggestion(name: string): string {
  const better = name
    .replaceAll(/[^\w-]+/g, '_')
    .replace(/^(?=[\d-])/, '_')
    .replaceAll(/^_+(?=[A-Za-z])|_+$/g, '')
    .slice(0, MAX_NAME);
  return /[A-Za-z]/.test(better) && better !== name ? `, such as "${better}"` : '';
}
