export interface Token {
  readonly kind: 'comment' | 'string' | 'number' | 'keyword' | 'plain';
  readonly text: string;
}

const KEYWORDS =
  'async|await|break|case|catch|class|const|continue|def|default|do|else|enum|export|extends|false|finally|fn|for|from|func|function|if|import|in|interface|let|match|new|None|null|of|package|pub|return|select|SELECT|static|struct|switch|this|throw|true|True|try|type|undefined|use|var|void|while|WHERE|FROM|with|yield';

/** Good enough for most languages: comments, strings, numbers and common words. */
const TOKENS = new RegExp(
  [
    String.raw`(?<comment>\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|(?<=^|\s)#[^\n]*)`,
    String.raw`(?<string>"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|${'`'}(?:\\.|[^${'`'}\\])*${'`'}?)`,
    String.raw`(?<number>\b\d[\d_]*(?:\.\d+)?\b)`,
    String.raw`(?<keyword>\b(?:${KEYWORDS})\b)`,
  ].join('|'),
  'gm',
);

export function tokensOf(code: string): readonly Token[] {
  const tokens: Token[] = [];
  let end = 0;
  for (const match of code.matchAll(TOKENS)) {
    if (match.index > end) tokens.push({ kind: 'plain', text: code.slice(end, match.index) });
    const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? [];
    tokens.push({ kind: (kind ?? 'plain') as Token['kind'], text: match[0] });
    end = match.index + match[0].length;
  }
  return [...tokens, { kind: 'plain', text: code.slice(end) }];
}
