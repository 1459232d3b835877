/** Processes the items in order, at most `most` of them at a time. Rejects when one does. */
export async function eachAtOnce<Item>(
  most: number,
  items: readonly Item[],
  act: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) await act(item);
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker));
}
