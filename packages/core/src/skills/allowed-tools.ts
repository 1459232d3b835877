/** The items of `allowed-tools`: separated by commas or spaces, but not inside of parentheses, as in `Bash(git add:*)`. */
export function splitAllowedTools(text: string): readonly string[] {
  const items: string[] = [];
  let item = '';
  let open = 0;
  for (const char of text) {
    if (open === 0 && /[\s,]/.test(char)) {
      if (item !== '') items.push(item);
      item = '';
      continue;
    }
    if (char === '(') open += 1;
    if (char === ')' && open > 0) open -= 1;
    item += char;
  }
  return item.trim() === '' ? items : [...items, item.trim()];
}
