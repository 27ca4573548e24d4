// A list of the service, read page by page until it ends or has enough rows.

export type Pages<P> = { pages: P[]; hasMore: boolean };

/** @param read reads a page of at most `limit` rows; `count` is the number of its rows */
export async function pages<P extends { next?: string }>(wanted: number, most: number,
  read: (limit: number, cursor?: string) => Promise<P>, count: (page: P) => number): Promise<Pages<P>> {
  const all: P[] = [];
  let left = wanted;
  let next: string | undefined;
  do {
    const page = await read(Math.min(left, most), next);
    all.push(page);
    left -= count(page);
    next = page.next;
  } while (next !== undefined && left > 0);
  return { pages: all, hasMore: next !== undefined };
}
