/** Concurrent calls with the same key share one result. */
export function createTogether<T>(): (key: string, ask: () => Promise<T>) => Promise<T> {
  const underWay = new Map<string, Promise<T>>();
  return (key, ask) => {
    const known = underWay.get(key);
    if (known) return known;
    const answer = ask().finally(() => underWay.delete(key));
    underWay.set(key, answer);
    return answer;
  };
}
