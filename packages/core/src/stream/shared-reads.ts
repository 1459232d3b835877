/**
 * For stream managers: readers of one stream that stand at the same place in the same moment share one read. What they share
 * must not be changed.
 */
export function createSharedReads<Page>(
  read: (streamId: string, after: number, limit: number) => Promise<Page>,
): (streamId: string, after: number, limit: number) => Promise<Page> {
  const asked = new Map<string, Promise<Page>>();
  return (streamId, after, limit) => {
    const place = JSON.stringify([streamId, after, limit]);
    const known = asked.get(place);
    if (known) return known;
    // Until it is sent others may join; what is written after that may not be in it.
    const page = Promise.resolve().then(() => {
      asked.delete(place);
      return read(streamId, after, limit);
    });
    asked.set(place, page);
    return page;
  };
}
