import { SkillSyncError } from '../errors.ts';

/** What was found while skills were read: all of it is told, not only the first. */
export class Findings {
  readonly warnings: string[] = [];
  readonly #problems: {
    readonly code: 'skills_limit_exceeded' | 'skills_content_invalid';
    readonly text: string;
  }[] = [];

  warn(...texts: readonly string[]): void {
    this.warnings.push(...texts);
  }

  invalid(text: string): void {
    this.#problems.push({ code: 'skills_content_invalid', text });
  }

  tooLarge(text: string): void {
    this.#problems.push({ code: 'skills_limit_exceeded', text });
  }

  /** Throws where there is a problem. */
  settle(): void {
    const [first] = this.#problems;
    if (!first) return;
    throw new SkillSyncError(first.code, this.#problems.map(({ text }) => text).join('\n'));
  }
}
