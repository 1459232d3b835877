// Draws the diagrams of the documentation into docs/images, or the folder that is named. Each has a background of its own, light or dark as the reader's system is.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [, , folder = fileURLToPath(new URL('../docs/images', import.meta.url))] = process.argv;

const STYLE = `<style>
  text { font: 13px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: #1f2933 }
  .title { font-size: 17px; font-weight: 650 }
  .name { font-weight: 650 }
  .quiet { fill: #52606d }
  .code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 12px }
  .end { text-anchor: end }
  .middle { text-anchor: middle }
  .paper { fill: #ffffff }
  .box { fill: #f1f4f7; stroke: #9aa5b1 }
  .runs { fill: #e1f0fb; stroke: #2f7fc1 }
  .waits { fill: #fdf0dd; stroke: #d07c1f }
  .done { fill: #def3e8; stroke: #2f9e6e }
  .bad { fill: #fbe4e2; stroke: #c9473b }
  .arrow, .lane { stroke: #52606d; stroke-width: 1.5; fill: none }
  .lane { stroke-dasharray: 3 4; stroke-width: 1 }
  .head { fill: #52606d }
  .mark { fill: #c9473b }
  .on-mark { fill: #ffffff; font-weight: 650 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e4e7eb }
    .quiet { fill: #aab4bf }
    .paper { fill: #14181d }
    .box { fill: #20262d; stroke: #5b6774 }
    .runs { fill: #15324a; stroke: #4b9bd8 }
    .waits { fill: #43300f; stroke: #d98e3f }
    .done { fill: #123a2a; stroke: #3fb981 }
    .bad { fill: #472220; stroke: #e0695e }
    .arrow, .lane { stroke: #9aa5b1 }
    .head { fill: #9aa5b1 }
    .on-mark { fill: #ffffff }
  }
</style>
<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path class="head" d="M0,0 L8,4 L0,8 z"/></marker></defs>`;

const escape = (said) => said.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const text = (x, y, said, kind = '') =>
  `<text x="${x}" y="${y}"${kind && ` class="${kind}"`}>${escape(said)}</text>`;
const rect = (x, y, width, height, kind = 'box') =>
  `<rect class="${kind}" x="${x}" y="${y}" width="${width}" height="${height}" rx="8"/>`;
const path = (d, kind = 'arrow') =>
  `<path class="${kind}" d="${d}"${kind === 'arrow' ? ' marker-end="url(#head)"' : ''}/>`;
const arrow = (x1, y1, x2, y2) => path(`M${x1},${y1} L${x2},${y2}`);
const lines = (x, y, said, kind) => said.map((line, index) => text(x, y + 18 * index, line, kind));

/** A box with a name and, below it, what it means. */
function box([x, y, width, height], kind, name, ...more) {
  const top = y + height / 2 + 5 - 9 * more.length;
  return [
    rect(x, y, width, height, kind),
    text(x + width / 2, top, name, 'middle name'),
    ...lines(x + width / 2, top + 18, more, 'middle quiet'),
  ];
}

function sessionLife() {
  return [
    ...box([40, 180, 170, 64], 'box', 'a message'),
    ...box([340, 180, 200, 64], 'runs', 'running', 'one owner, with a lease'),
    ...box([660, 180, 180, 64], 'done', 'completed'),
    ...box([660, 60, 180, 64], 'bad', 'failed'),
    ...box([40, 60, 170, 64], 'box', 'interrupted', 'what was said is kept'),
    ...box([340, 330, 200, 64], 'waits', 'suspended', 'waits for a person'),
    arrow(210, 212, 338, 212),
    text(274, 204, 'run', 'middle code'),
    arrow(540, 202, 658, 202),
    text(599, 194, 'no calls left', 'middle quiet'),
    arrow(660, 224, 542, 224),
    text(599, 242, 'run', 'middle code'),
    arrow(520, 180, 658, 112),
    text(606, 160, 'cannot go on', 'quiet'),
    arrow(660, 84, 462, 178),
    text(560, 112, 'retry', 'end code'),
    arrow(360, 180, 212, 112),
    text(276, 164, 'interrupt', 'end code'),
    arrow(210, 84, 418, 178),
    text(318, 112, 'resume', 'code'),
    arrow(410, 244, 410, 328),
    text(400, 291, 'a person is needed', 'end quiet'),
    arrow(470, 330, 470, 246),
    text(480, 291, 'resume', 'code'),
    path('M540,236 C600,262 600,300 500,246'),
    ...lines(
      596,
      276,
      ['the process dies: its lease expires,', 'another process takes over'],
      'quiet',
    ),
    ...lines(
      560,
      350,
      [
        'No process, no timer, no lease: rows.',
        'Answers are stored one by one,',
        'and nothing runs until resume.',
      ],
      'quiet',
    ),
  ];
}

function whoWaits() {
  const [a, database, person, b] = [110, 330, 570, 780];
  const lane = (x, from, to) => path(`M${x},${from} L${x},${to}`, 'lane');
  const message = (from, to, y, said) => [
    arrow(from, y, to + (to > from ? -6 : 6), y),
    text((from + to) / 2, y - 7, said, 'middle quiet'),
  ];
  return [
    lane(a, 92, 560),
    lane(database, 92, 560),
    lane(person, 92, 560),
    lane(b, 92, 560),
    rect(a - 6, 100, 12, 180, 'runs'),
    rect(person - 6, 215, 12, 20, 'waits'),
    rect(person - 6, 372, 12, 20, 'waits'),
    rect(b - 6, 420, 12, 120, 'runs'),
    ...box([a - 80, 56, 160, 36], 'runs', 'one process'),
    ...box([database - 80, 56, 160, 36], 'box', 'database'),
    ...box([person - 80, 56, 160, 36], 'waits', 'a person'),
    ...box([b - 80, 56, 160, 36], 'runs', 'any process'),
    ...message(a, database, 124, 'run: claim the session'),
    text(a + 14, 152, 'the model calls refund', 'quiet'),
    ...message(a, database, 186, 'plan and question'),
    ...message(database, person, 224, 'stream, inbox'),
    ...message(a, database, 268, 'suspended'),
    rect(24, 296, 852, 52, 'waits'),
    text(450, 318, 'Seconds or weeks. Deploys, crashes and restarts do not matter.', 'middle name'),
    text(450, 337, 'Nobody waits: no process, no timer, no lease, no memory', 'middle quiet'),
    ...message(person, database, 382, 'approve: accepted, once'),
    ...message(b, database, 436, 'resume: one of many claims it'),
    text(b - 14, 464, 'refund runs: same call, same input', 'end quiet'),
    ...message(b, database, 498, 'result, then the step as a whole'),
    ...message(database, person, 532, 'stream'),
  ];
}

function crashCost() {
  const costs = [
    ['in a model call', 'It is repeated, and billed, again. Nothing of it was stored.'],
    [
      'while tools run',
      'Stored results stay. A tool without one starts again under its idempotency key; one that may',
      'start only once is not started again: the model reads that the outcome is unknown.',
    ],
    ['before the commit', 'Nothing is repeated. The step is committed from the stored results.'],
    ['while a person is asked', 'Nothing. No process was involved.'],
  ];
  const write = (x, y) => `<circle class="done" cx="${x}" cy="${y}" r="7"/>`;
  const mark = (x, y, number) => [
    `<circle class="mark" cx="${x}" cy="${y}" r="11"/>`,
    text(x, y + 5, `${number}`, 'middle on-mark'),
  ];
  return [
    ...box([30, 84, 180, 52], 'runs', 'model call'),
    ...box([262, 64, 150, 40], 'runs', 'find_order'),
    ...box([262, 116, 230, 40], 'runs', 'refund'),
    ...box([690, 84, 180, 52], 'waits', 'waits for a person'),
    path('M40,190 L866,190', 'lane'),
    ...[
      [230, 'plan'],
      [424, 'result'],
      [504, 'result'],
      [630, 'commit'],
    ].flatMap(([x, said]) => [write(x, 190), text(x, 216, said, 'middle quiet')]),
    text(866, 60, 'green dot: a durable write', 'end quiet'),
    ...mark(120, 190, 1),
    ...mark(360, 190, 2),
    ...mark(567, 190, 3),
    ...mark(780, 190, 4),
    ...costs.flatMap(([when, ...cost], index) => {
      const y = 262 + 34 * index + (index > 1 ? 14 : 0);
      return [...mark(42, y - 5, index + 1), text(64, y, when, 'name'), ...lines(256, y, cost)];
    }),
    text(
      30,
      424,
      'Time lost: 15 s until the lease expires, then up to 30 s until a process looks. A SIGTERM saves the 15 s: the run is handed over.',
      'quiet',
    ),
  ];
}

function architecture() {
  return [
    ...box(
      [40, 60, 340, 60],
      'box',
      'your server, command line, job',
      'run · approve · resume · interrupt · retry',
    ),
    ...box([600, 60, 260, 60], 'box', 'a reader', 'a page, another service'),
    arrow(210, 120, 210, 158),
    rect(40, 160, 500, 196, 'runs'),
    text(60, 186, 'runtime', 'name'),
    text(128, 186, 'where and when a run takes place', 'quiet'),
    ...box(
      [60, 204, 460, 56],
      'box',
      'the loop',
      'begin → settle → (think → dispatch → settle)… → end',
    ),
    arrow(290, 260, 290, 282),
    ...box([60, 284, 460, 56], 'box', 'operations', 'every effect: model, tools, store'),
    arrow(290, 356, 290, 404),
    ...lines(302, 384, ['one atomic commit per step, records in between'], 'quiet'),
    ...box(
      [40, 406, 820, 60],
      'done',
      'stores: sessions · index · streams · usage',
      'memory · SQLite · Postgres · Redis',
    ),
    arrow(730, 406, 730, 122),
    ...lines(742, 268, ['chunks after', 'number N'], 'quiet'),
  ];
}

function draw(name, title, height, parts) {
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="${height}" viewBox="0 0 900 ${height}" role="img" aria-label="${title}">`,
    STYLE,
    `<rect class="paper" width="900" height="${height}" rx="8"/>`,
    text(24, 34, title, 'title'),
    ...parts,
    '</svg>\n',
  ];
  writeFileSync(join(folder, `${name}.svg`), svg.join('\n'));
}

draw('session-life', 'The life of a session', 420, sessionLife());
draw('who-waits', 'Who waits for whom', 580, whoWaits());
draw('crash-cost', 'What a crash costs', 446, crashCost());
draw('architecture', 'How the parts fit together', 490, architecture());
