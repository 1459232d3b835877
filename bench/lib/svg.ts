import { isMet, round, type Result } from './measure.ts';
import { targetText } from './report.ts';

const WIDTH = 940;
const LABELS = 300;
const BARS = 340;
const ROW = 22;
const HEADING = 34;
const TOP = 112;
/** Doublings on either side of the target; what is further away is cut off. */
const DOUBLINGS = 4;

const CENTRE = LABELS + BARS / 2;
const STEP = BARS / 2 / DOUBLINGS;

const STYLE = `
  text { font: 12px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: #1f2933 }
  .title { font-size: 17px; font-weight: 650 }
  .heading { font-weight: 650 }
  .quiet { fill: #6b7785 }
  .end { text-anchor: end }
  .middle { text-anchor: middle }
  .paper { fill: #ffffff }
  .grid { stroke: #e4e7eb }
  .target { stroke: #52606d; stroke-width: 1.5 }
  .met { fill: #2f9e6e }
  .missed { fill: #e08a2e }
  @media (prefers-color-scheme: dark) {
    text { fill: #e4e7eb }
    .quiet { fill: #9aa5b1 }
    .paper { fill: #14181d }
    .grid { stroke: #2b333d }
    .target { stroke: #9aa5b1 }
    .met { fill: #3fb981 }
    .missed { fill: #d98e3f }
  }`;

/**
 * One bar per result that has a target, grouped by case: to the right of the line it is better than its target, to the
 * left it is worse, and each mark of the scale is twice as far.
 */
export function chart(results: readonly Result[]): string {
  const groups = Map.groupBy(
    results.filter((result) => result.target !== undefined),
    (result) => result.case,
  );
  const rows: string[] = [];
  let y = TOP;
  for (const [name, members] of groups) {
    rows.push(text(16, y + 22, name, 'heading'));
    y += HEADING;
    for (const result of members) {
      rows.push(bar(result, y));
      y += ROW;
    }
  }
  const height = y + 20;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img">`,
    `<style>${STYLE}\n</style>`,
    `<rect class="paper" width="${WIDTH}" height="${height}" rx="8"/>`,
    text(16, 32, 'How far each result is from its target', 'title'),
    text(16, 52, 'ours against the raw limit, measured in the same process and round', 'quiet'),
    text(CENTRE - BARS / 2, TOP - 32, '← worse', 'quiet'),
    text(CENTRE + BARS / 2, TOP - 32, 'better →', 'quiet end'),
    ...scale(TOP - 4, height - 14),
    ...rows,
    '</svg>',
    '',
  ].join('\n');
}

function scale(top: number, bottom: number): string[] {
  const marks: string[] = [];
  for (let doublings = -DOUBLINGS; doublings <= DOUBLINGS; doublings += 1) {
    const x = CENTRE + doublings * STEP;
    const kind = doublings === 0 ? 'target' : 'grid';
    marks.push(`<line class="${kind}" x1="${x}" x2="${x}" y1="${top}" y2="${bottom}"/>`);
    marks.push(text(x, top - 8, markText(doublings), 'quiet middle'));
  }
  return marks;
}

function markText(doublings: number): string {
  return doublings === 0 ? 'target' : `${2 ** Math.abs(doublings)}×`;
}

function bar(result: Result, y: number): string {
  const reach = Math.max(-DOUBLINGS, Math.min(DOUBLINGS, Math.log2(score(result)))) * STEP;
  const x = CENTRE + Math.min(0, reach);
  const width = Math.max(2, Math.abs(reach));
  const kind = isMet(result) ? 'met' : 'missed';
  const end = LABELS + BARS + 14;
  const figure = `${round(result.value)} ${result.unit}`;
  return [
    text(LABELS - 12, y + 15, result.name, 'end'),
    `<rect class="${kind}" x="${x.toFixed(1)}" y="${y + 4}" width="${width.toFixed(1)}" height="${ROW - 8}" rx="3"/>`,
    `<text x="${end}" y="${y + 15}">${escape(figure)} <tspan class="quiet">${escape(targetText(result))}</tspan></text>`,
  ].join('');
}

/** 1 is the target, 2 is twice as good. */
function score({ value, target }: Result): number {
  if (!target) return 1;
  if ('atLeast' in target) return Math.max(value, Number.MIN_VALUE) / target.atLeast;
  return value <= 0 ? 2 ** DOUBLINGS : target.atMost / value;
}

function text(x: number, y: number, content: string, kind: string): string {
  return `<text x="${x}" y="${y}" class="${kind}">${escape(content)}</text>`;
}

function escape(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
