import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Logger } from '@helix-agents/core';
import { onTestFinished } from 'vitest';

/** A folder of its own for the test, and a way to write files into it. */
export interface Folder {
  readonly path: string;
  readonly write: (file: string, content: string | Uint8Array) => string;
}

export function openFolder(): Folder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'helix-skill-fs-')));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return {
    path,
    write: (file, content) => {
      const full = join(path, file);
      mkdirSync(dirname(full), { recursive: true });
      writeFileSync(full, content);
      return full;
    },
  };
}

export function skillText(
  name: string,
  description = `What ${name} does.`,
  body = `# ${name}`,
): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`;
}

interface Logged {
  readonly event: string;
  readonly data: Record<string, unknown>;
}

/** A logger that keeps what it is told. */
export function keepingLogger(): { readonly logger: Logger; readonly logged: Logged[] } {
  const logged: Logged[] = [];
  const keep = (event: string, data: object = {}): void =>
    void logged.push({ event, data: { ...data } });
  return { logger: { info: keep, warn: keep, error: keep, debug: keep }, logged };
}
