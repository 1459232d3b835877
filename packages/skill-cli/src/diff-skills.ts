import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SkillDefinition } from '@helix-agents/core';
import { runGit, type GitPlace } from './git/run-git.ts';
import { visible, visibleLines } from './visible.ts';

/** A skill as a person reviews it: file by file. */
type Files = ReadonlyMap<string, string>;

const NO_FILES: Files = new Map();

/** What changed between two sets of skills, to be read by a person: their instructions and files, line by line. */
export async function diffSkills(
  git: GitPlace,
  before: readonly SkillDefinition[],
  after: readonly SkillDefinition[],
): Promise<string[]> {
  const old = byName(before);
  const now = byName(after);
  const lines: string[] = [];
  for (const name of [...new Set([...old.keys(), ...now.keys()])].toSorted()) {
    const [from, to] = [old.get(name), now.get(name)];
    if (!from || !to) {
      lines.push(
        `${to ? 'new skill' : 'removed skill'} ${name}: ${sizeOf(to ?? from ?? NO_FILES)}`,
      );
    } else lines.push(...(await diffFiles(git, name, from, to)));
  }
  return lines;
}

async function diffFiles(git: GitPlace, name: string, from: Files, to: Files): Promise<string[]> {
  const lines: string[] = [];
  for (const path of [...new Set([...from.keys(), ...to.keys()])].toSorted()) {
    const [old = '', now = ''] = [from.get(path), to.get(path)];
    if (old === now) continue;
    const what = !from.has(path) ? 'new file' : to.has(path) ? 'changed' : 'removed file';
    lines.push(`${what} ${name}/${visible(path)}`, ...(await diffTexts(git, old, now)));
  }
  return lines;
}

/** By git itself: the lines that differ, with those around them. */
async function diffTexts(git: GitPlace, old: string, now: string): Promise<string[]> {
  const folder = await mkdtemp(join(git.directory, 'diff-'));
  const files = [join(folder, 'before'), join(folder, 'after')] as const;
  await writeFile(files[0], ended(old));
  await writeFile(files[1], ended(now));
  const args = [
    'diff',
    '--no-index',
    '--no-color',
    '--no-ext-diff',
    '--no-textconv',
    '--text',
    '--',
    ...files,
  ];
  const { output } = await runGit(git, args, { answers: [1] });
  const all = visibleLines(output.toString()).trimEnd().split('\n');
  return all.slice(all.findIndex((line) => line.startsWith('@@'))).map((line) => `  ${line}`);
}

function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function byName(skills: readonly SkillDefinition[]): Map<string, Files> {
  return new Map(skills.map((skill) => [skill.name, filesOf(skill)]));
}

function filesOf({ body, resources = {}, ...head }: SkillDefinition): Files {
  const files = Object.entries(resources).map(([path, content]): [string, string] => [
    path,
    typeof content === 'string' ? content : `binary, ${content.size} bytes`,
  ]);
  const fields = Object.entries(head).map(
    ([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return new Map([['SKILL.md', `${fields.join('\n')}\n\n${body}`], ...files]);
}

function sizeOf(files: Files): string {
  const characters = [...files.values()].reduce((sum, text) => sum + text.length, 0);
  return `${files.size} ${files.size === 1 ? 'file' : 'files'}, ${characters} characters`;
}
