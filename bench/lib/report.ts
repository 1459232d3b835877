import { isMet, round, type Result } from './measure.ts';

/** The table that is printed at the end. */
export function table(results: readonly Result[]): string {
  const lines = results.map((result) => [
    result.case,
    result.name,
    `${round(result.value)} ${result.unit}`,
    targetText(result),
    verdict(result),
    result.detail,
  ]);
  const head = ['case', 'what', 'result', 'target', '', 'detail'];
  const widths = head.map((text, column) =>
    Math.max(text.length, ...lines.map((line) => (line[column] ?? '').length)),
  );
  const format = (line: readonly string[]): string =>
    line
      .map((text, column) => (column === line.length - 1 ? text : text.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return [format(head), ...lines.map(format)].join('\n');
}

export function targetText({ target }: Result): string {
  if (!target) return '';
  return 'atLeast' in target ? `≥ ${round(target.atLeast)}` : `≤ ${round(target.atMost)}`;
}

export function verdict(result: Result): string {
  const met = isMet(result);
  if (met === null) return '';
  return met ? 'met' : 'not met';
}
