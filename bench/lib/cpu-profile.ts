import type { Profiler } from 'node:inspector';

/** The functions with the most time of their own, as a share of all time that was not idle. */
export function topFunctions(profile: Profiler.Profile, limit: number): string {
  return ranking(profile, limit, ({ functionName, url, lineNumber }) => {
    return `${functionName || '(anonymous)'}  ${shorten(url)}:${lineNumber + 1}`;
  });
}

export function byFile(profile: Profiler.Profile, limit: number): string {
  return ranking(profile, limit, ({ url, functionName }) => shorten(url) || functionName);
}

function ranking(
  profile: Profiler.Profile,
  limit: number,
  nameOf: (frame: Profiler.ProfileNode['callFrame']) => string,
): string {
  const names = new Map(profile.nodes.map((node) => [node.id, nameOf(node.callFrame)]));
  const idle = new Set(
    profile.nodes
      .filter((node) => ['(idle)', '(program)'].includes(node.callFrame.functionName))
      .map((node) => node.id),
  );
  const times = new Map<string, number>();
  let total = 0;
  for (const [index, id] of (profile.samples ?? []).entries()) {
    if (idle.has(id)) continue;
    const time = profile.timeDeltas?.[index] ?? 0;
    const name = names.get(id) ?? '';
    times.set(name, (times.get(name) ?? 0) + time);
    total += time;
  }
  return [...times]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, limit)
    .map(([name, time]) => `${((time / total) * 100).toFixed(1).padStart(6)} %  ${name}`)
    .join('\n');
}

function shorten(url: string): string {
  return url.replace(/^file:\/\/.*?\/(packages|node_modules|bench)\//, '$1/');
}
