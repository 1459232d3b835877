export type Query = { readonly [name: string]: string | readonly string[] };

/** A parameter given twice becomes a list, which no schema accepts: a request cannot name two sessions. */
export function readQuery(parameters: URLSearchParams): Query {
  const names = new Set(parameters.keys());
  const entries = [...names].map((name): [string, string | string[]] => {
    const [first = '', ...others] = parameters.getAll(name);
    return [name, others.length > 0 ? [first, ...others] : first];
  });
  return Object.fromEntries(entries);
}

/** For hooks, which expect one value for each name. */
export function firstValues(query: Query): { readonly [name: string]: string | undefined } {
  const entries = Object.entries(query).map(([name, value]) => [name, [value].flat()[0]]);
  return Object.fromEntries(entries) as { [name: string]: string | undefined };
}
