// `npm run api`: writes the public surface of each published package, one file per entry: api/<package>.d.ts for `.`,
// api/<package>.<entry>.d.ts for others. It comes from the declarations of the build (`npm run build` first).
// With --check it only compares, so that a change of the public surface shows up in review.
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const check = process.argv.includes('--check');
const DECLARED =
  /^export (?:declare )?(?:abstract )?(?:function|class|interface|type|const) (\w+)/gm;

const reports = new Map(
  globSync('packages/*/package.json')
    .map((file) => ({ folder: dirname(file), ...JSON.parse(readFileSync(file, 'utf8')) }))
    .filter((manifest) => !manifest.private)
    .flatMap(reportsOf),
);
const stale = check ? staleFiles() : [];
if (!check) writeAll();
if (stale.length > 0) {
  console.error(`The public surface is not what these files say: ${stale.join(', ')}.`);
  console.error('Run `npm run api` and look at the diff.');
  process.exitCode = 1;
}

function staleFiles() {
  const written = [...reports].filter(
    ([file, text]) => !existsSync(file) || readFileSync(file, 'utf8') !== text,
  );
  const left = globSync('api/*.d.ts').filter((file) => !reports.has(file));
  return [...written.map(([file]) => file), ...left];
}

function writeAll() {
  rmSync('api', { recursive: true, force: true });
  mkdirSync('api');
  for (const [file, text] of reports) writeFileSync(file, text);
  console.log(`${reports.size} files in api/`);
}

/** Name and text of the report of each entry of a package. */
function reportsOf({ folder, name, exports }) {
  return Object.entries(exports)
    .filter(([, target]) => typeof target === 'object' && target.types)
    .map(([path, target]) => {
      const entry = join(folder, target.types);
      if (!existsSync(entry)) throw new Error(`${entry} is missing: run npm run build first`);
      const parts = [folder.split('/').at(-1), ...path.split('/').slice(1)];
      return [`api/${parts.join('.')}.d.ts`, reportOf(join(name, path), entry)];
    });
}

function reportOf(importPath, entry) {
  const declarations = [];
  const passedOn = new Map();
  const all = [];
  for (const [exported, { from, text, isAll }] of [...exportsOf(entry)].toSorted(byName)) {
    if (isAll) all.push(`export * from '${from}';`);
    else if (from) passedOn.set(from, [...(passedOn.get(from) ?? []), exported]);
    else declarations.push(text);
  }
  const reexports = [...passedOn].map(
    ([from, names]) => `export {\n${names.map((one) => `  ${one},\n`).join('')}} from '${from}';`,
  );
  const head = `// What \`${importPath}\` exports. Written by \`npm run api\`; a report to read and compare, not a module.`;
  return `${[head, ...all, ...reexports, ...declarations].join('\n\n')}\n`;
}

function byName([a], [b]) {
  return a < b ? -1 : 1;
}

/** Exported names of a declaration file: where another package's name comes `from`, or the `text` of the declaration. */
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
      found.set(shown, from.startsWith('.') ? declarationIn(file, from, own) : { from });
    }
  }
  for (const [, from] of text.matchAll(/export \* from ['"]([^'"]+)['"]/g)) {
    if (from.startsWith('.'))
      for (const [name, one] of exportsOf(declarationFile(file, from))) found.set(name, one);
    else found.set(`* from ${from}`, { from, isAll: true });
  }
  for (const [, kind] of text.matchAll(DECLARED)) found.set(kind, declarationOf(text, kind));
  return found;
}

function declarationFile(importer, from) {
  return resolve(dirname(importer), from.replace(/\.[jt]s$/, '.d.ts'));
}

function declarationIn(importer, from, name) {
  const file = declarationFile(importer, from);
  const own = declarationOf(readFileSync(file, 'utf8'), name);
  if (own !== null) return own;
  const through = exportsOf(file).get(name);
  if (through === undefined) throw new Error(`${name} is not declared in ${file}`);
  return through;
}

/** All overloads of a name, without comments. */
function declarationOf(text, name) {
  const start = new RegExp(
    `^export (?:declare )?(?:abstract )?(?:function|class|interface|type|const) ${name}\\b`,
    'gm',
  );
  const parts = [...text.matchAll(start)].map(({ index }) => declarationAt(text, index));
  return parts.length === 0 ? null : { text: parts.join('\n') };
}

/** The declaration that begins at `from`: up to its closing brace, or the semicolon outside all brackets. */
function declarationAt(text, from) {
  const isBlock = /^export (?:declare )?(?:abstract )?(?:class|interface)/.test(
    text.slice(from, from + 30),
  );
  let depth = 0;
  let kept = '';
  for (let at = from; at < text.length; at += 1) {
    if (text.startsWith('/*', at)) {
      at = text.indexOf('*/', at) + 1;
      continue;
    }
    const end = `'"\``.includes(text[at]) ? closingQuote(text, at) : at;
    const part = text.slice(at, end + 1);
    kept += part;
    if (end > at) at = end;
    else if ('{([<'.includes(part)) depth += 1;
    else if ('})]'.includes(part) || (part === '>' && text[at - 1] !== '=')) depth -= 1;
    if (depth === 0 && part === (isBlock ? '}' : ';')) break;
  }
  return kept.replaceAll(/^ +#private;\n/gm, '').replaceAll(/^[ \t]*\n/gm, '');
}

function closingQuote(text, at) {
  let end = at + 1;
  while (text[end] !== text[at]) end += text[end] === '\\' ? 2 : 1;
  return end;
}
