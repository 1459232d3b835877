/**
 * For stream managers: readers of one stream that stand at the same place in the same moment share one read. What they share
 * must not be changed.
 */
export function createSharedReads<Page>(
  read: (streamId: string, after: number) => Promise<Page>,
): (streamId: string, after: number) => Promise<Page> {
  const asked = new Map<string, Promise<Page>>();
  return (streamId, after) => {
    const place = JSON.stringify([streamId, after]);
    const known = asked.get(place);
    if (known) return known;
    // Until it is sent others may join; what is written after that may not be in it.
    const page = Promise.resolve().then(() => {
      asked.delete(place);
      return read(streamId, after);
    });
    asked.set(place, page);
    return page;
  };
}
