import { isMet, round, type Result } from './measure.ts';
import { targetText } from './report.ts';

const LEFT = 330;
const BARS = 360;
const RIGHT = 230;
const ROW = 22;
const TOP = 56;
/** A bar this many times its target is cut off. */
const MOST = 3;

/** One bar per result that has a target: how far it is beyond it. The line is the target. */
export function chart(results: readonly Result[]): string {
  const rows = results.filter((result) => result.target !== undefined);
  const width = LEFT + BARS + RIGHT;
  const height = TOP + rows.length * ROW + 16;
  const mark = LEFT + BARS / MOST;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12">`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    text(
      16,
      24,
      'Measured against its target: a bar that reaches the line meets it',
      'font-size="14" font-weight="600"',
    ),
    text(mark, 46, 'target', 'text-anchor="middle" fill="#555"'),
    ...rows.map((result, index) => bar(result, TOP + index * ROW)),
    `<line x1="${mark}" x2="${mark}" y1="${TOP - 4}" y2="${height - 12}" stroke="#333" stroke-dasharray="3 3"/>`,
    '</svg>',
    '',
  ].join('\n');
}

function bar(result: Result, y: number): string {
  const length = (Math.min(MOST, score(result)) / MOST) * BARS;
  const colour = isMet(result) ? '#2f9e6e' : '#d9822b';
  const figure = `${round(result.value)} ${result.unit} (${targetText(result)})`;
  return [
    text(LEFT - 8, y + 14, `${result.case}: ${result.name}`, 'text-anchor="end"'),
    `<rect x="${LEFT}" y="${y + 3}" width="${Math.max(1, length).toFixed(1)}" height="${ROW - 7}" rx="2" fill="${colour}"/>`,
    text(LEFT + BARS + 8, y + 14, figure, 'fill="#333"'),
  ].join('');
}

function score({ value, target }: Result): number {
  if (!target) return 0;
  if ('atLeast' in target) return value / target.atLeast;
  return value <= 0 ? MOST : target.atMost / value;
}

function text(x: number, y: number, content: string, attributes: string): string {
  const safe = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<text x="${x}" y="${y}" ${attributes}>${safe}</text>`;
}
