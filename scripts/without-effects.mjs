// Rolldown plugin that keeps the promise `"sideEffects": false` of a package whose files have become one. A bundler drops a
// file of which nothing is used; of one file it drops the declarations that it knows to have no effect, and a call is
// only known by its mark. Without them a page that imports an error class of core loads zod and immer.
import { RolldownMagicString } from 'rolldown';
import { parseSync } from 'rolldown/utils';

const MARK = '/*@__PURE__*/';

export function withoutEffects() {
  return {
    name: 'without-effects',
    renderChunk(code, chunk) {
      const marked = new RolldownMagicString(code);
      for (const statement of parseSync(chunk.fileName, code).program.body) {
        if (statement.type === 'ExpressionStatement') {
          const text = code.slice(statement.start, statement.end);
          throw new Error(`${chunk.fileName}: importing it must have no effect: ${text}`);
        }
        for (const { init } of statement.declarations ?? []) {
          if (init && /^(Call|New)Expression$/.test(init.type)) marked.appendLeft(init.start, MARK);
        }
      }
      return { code: marked.toString(), map: marked.generateMap({ hires: 'boundary' }).toString() };
    },
  };
}
