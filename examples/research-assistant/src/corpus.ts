/** A library of six short documents: what the assistant can find, and how long it takes to read. */
export interface Document {
  readonly id: string;
  readonly title: string;
  /** Reading is slow, page by page, like a scan or a download would be. */
  readonly pages: number;
  readonly text: string;
}

export const corpus: readonly Document[] = [
  {
    id: 'reflectors',
    title: 'Lighthouses before 1820',
    pages: 1,
    text: 'Oil lamps stood in front of polished metal reflectors. Much of the light was lost before it left the tower.',
  },
  {
    id: 'fresnel-lens',
    title: "Fresnel's lighthouse lens",
    pages: 3,
    text: 'Rings of glass prisms bend the light of one lamp into a single beam. The lens is thin, so it can be large without being too heavy for a tower.',
  },
  {
    id: 'cordouan',
    title: 'The lighthouse of Cordouan (scan)',
    pages: 8,
    text: 'The first lens of this kind was lit at Cordouan, off the coast of France, in 1823. Keepers of other lighthouses came to look at it.',
  },
  {
    id: 'orders',
    title: 'Orders of lenses',
    pages: 2,
    text: 'Lenses are built in sizes called orders: the first order for sea coasts, the sixth for harbours.',
  },
  {
    id: 'foghorn',
    title: 'The steam foghorn',
    pages: 1,
    text: 'Where fog hides every light, a horn driven by steam warns ships by sound.',
  },
  {
    id: 'tides',
    title: 'Tides in estuaries',
    pages: 3,
    text: 'The shape of an estuary decides how high the tide rises at its upper end.',
  },
];

/** Documents by how many words of the query they contain, best first. */
export function searchCorpus(query: string): Document[] {
  const words = query.toLowerCase().split(/\W+/).filter(Boolean);
  return corpus
    .map((document) => ({ document, hits: countHits(document, words) }))
    .filter(({ hits }) => hits > 0)
    .toSorted((a, b) => b.hits - a.hits)
    .map(({ document }) => document);
}

export function findDocument(id: string): Document | undefined {
  return corpus.find((document) => document.id === id);
}

function countHits(document: Document, words: readonly string[]): number {
  const text = `${document.title} ${document.text}`.toLowerCase();
  return words.filter((word) => text.includes(word)).length;
}
