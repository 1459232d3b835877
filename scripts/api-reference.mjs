// Writes docs/api/<package>.md from the declarations of the build. With --check it only compares, so that a change of
// the public surface shows up in review. Run `npm run build` first.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const check = process.argv.includes('--check');
const outDir = 'docs/api';
const DECLARED =
  /^export (?:declare )?(?:abstract )?(?:function|class|interface|type|const) (\w+)/gm;
let stale = 0;

mkdirSync(outDir, { recursive: true });
for (const name of readdirSync('packages').toSorted()) {
  const manifest = JSON.parse(readFileSync(join('packages', name, 'package.json'), 'utf8'));
  if (manifest.private) continue;
  const page = pageOf(name, manifest);
  const file = join(outDir, `${name}.md`);
  if (check) {
    if (!existsSync(file) || readFileSync(file, 'utf8') !== page) {
      stale += 1;
      console.error(`${file} does not match the types: run npm run docs:api and look at the diff`);
    }
  } else {
    writeFileSync(file, page);
    console.log(file);
  }
}
process.exitCode = stale > 0 ? 1 : 0;

function pageOf(name, manifest) {
  const lines = [`# ${manifest.name}`, '', manifest.description ?? '', ''];
  for (const [path, target] of Object.entries(manifest.exports)) {
    if (typeof target !== 'object' || !target.types) continue;
    const entry = join('packages', name, target.types);
    if (!existsSync(entry)) throw new Error(`${entry} is missing: run npm run build first`);
    lines.push(`## \`${join(manifest.name, path)}\``, '');
    const passedOn = new Map();
    for (const [exported, declaration] of [...exportsOf(entry)].toSorted(byName)) {
      const from = /^\/\/ from (.+)$/.exec(declaration)?.[1];
      if (from) passedOn.set(from, [...(passedOn.get(from) ?? []), `\`${exported}\``]);
      else lines.push(`### ${exported}`, '', '```typescript', declaration, '```', '');
    }
    for (const [from, names] of passedOn)
      lines.push(`### From \`${from}\``, '', names.join(', '), '');
  }
  return `${lines.join('\n').trimEnd()}\n`;
}

function byName([a], [b]) {
  return a < b ? -1 : 1;
}

/** Exported names of a declaration file with their declarations, re-exports followed. */
function exportsOf(file) {
  const text = readFileSync(file, 'utf8');
  const found = new Map();
  for (const [, names, from] of text.matchAll(
    /export (?:type )?\{([^}]*)\} from ['"]([^'"]+)['"]/g,
  )) {
    for (const part of names
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean)) {
      const [own, shown = own] = part.replace(/^type /, '').split(' as ');
      found.set(shown, from.startsWith('.') ? declarationIn(file, from, own) : `// from ${from}`);
    }
  }
  for (const [, kind] of text.matchAll(DECLARED)) found.set(kind, declarationOf(text, kind));
  return found;
}

function declarationIn(importer, from, name) {
  const file = resolve(dirname(importer), from.replace(/\.[jt]s$/, '.d.ts'));
  const text = readFileSync(file, 'utf8');
  const own = declarationOf(text, name);
  if (own !== null) return own;
  const through = exportsOf(file).get(name);
  if (through === undefined) throw new Error(`${name} is not declared in ${file}`);
  return through;
}

/** All overloads of a name, with the comment before the first. */
function declarationOf(text, name) {
  const start = new RegExp(
    `^export (?:declare )?(?:abstract )?(?:function|class|interface|type|const) ${name}\\b`,
    'gm',
  );
  const parts = [...text.matchAll(start)].map(({ index }) => text.slice(index, endOf(text, index)));
  if (parts.length === 0) return null;
  const first = text.search(new RegExp(start.source, 'm'));
  const comment = /\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*$/.exec(text.slice(0, first))?.[0].trimEnd();
  const body = parts
    .join('\n')
    .replaceAll(/^export (declare )?/gm, '')
    .replaceAll(/^ +#private;\n/gm, '');
  return comment ? `${comment}\n${body}` : body;
}

/** Index after the declaration: its closing brace, or the semicolon outside all brackets. */
function endOf(text, from) {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const char = text[at];
    if (text.startsWith('/*', at)) at = text.indexOf('*/', at) + 1;
    else if (char === "'" || char === '"' || char === '`') at = closingQuote(text, at);
    else if ('{([<'.includes(char)) depth += 1;
    else if ('})]'.includes(char) || (char === '>' && text[at - 1] !== '=')) {
      depth -= 1;
      if (
        depth === 0 &&
        char === '}' &&
        /^export (?:declare )?(?:abstract )?(?:class|interface)/.test(text.slice(from, from + 30))
      ) {
        return at + 1;
      }
    } else if (char === ';' && depth === 0) return at + 1;
  }
  return text.length;
}

function closingQuote(text, at) {
  let end = at + 1;
  while (text[end] !== text[at]) end += text[end] === '\\' ? 2 : 1;
  return end;
}
