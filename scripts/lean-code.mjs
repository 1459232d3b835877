// Rolldown plugins that make published code small and leave it readable: no comments, no indentation, every name as in
// the source, one statement per line. On one line alone a stack trace says nothing, and node prints that line, the whole
// file, above every error that nobody catches.
import { RolldownMagicString } from 'rolldown';
import { minifySync, parseSync, Visitor } from 'rolldown/utils';

export function leanCode() {
  return [
    {
      name: 'without-whitespace',
      renderChunk(code, chunk) {
        const options = { compress: false, mangle: false, codegen: true, sourcemap: true };
        const { code: lean, map, errors } = minifySync(chunk.fileName, code, options);
        if (errors.length > 0) throw new Error(`${chunk.fileName}: ${errors[0].message}`);
        return { code: lean, map };
      },
    },
    {
      name: 'one-statement-per-line',
      renderChunk(code, chunk) {
        const lines = new RolldownMagicString(code);
        for (const start of statementStarts(chunk.fileName, code)) lines.appendLeft(start, '\n');
        return { code: lines.toString(), map: lines.generateMap({ hires: 'boundary' }).toString() };
      },
    },
  ];
}

/** Where a line may begin: statements and members of classes, but for the first. */
function statementStarts(file, code) {
  const { program, errors } = parseSync(file, code);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const starts = new Set();
  const add = (nodes) => {
    for (const { start } of nodes) starts.add(start);
  };
  add(program.body);
  new Visitor({
    BlockStatement: ({ body }) => add(body),
    ClassBody: ({ body }) => add(body),
    SwitchCase: ({ consequent }) => add(consequent),
  }).visit(program);
  starts.delete(0);
  return starts;
}
