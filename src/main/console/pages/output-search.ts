// A search in the output of one step. The service searches; the page keeps where the matches are.
import { call } from "../record/api";

/** A search that has found nothing continues automatically for about this many seconds. */
const PATIENCE = 30;

export class OutputSearch {
  readonly matches: number[] = [];
  size = 0;
  /** Where to continue; null if all was searched. */
  next: number | null = 0;

  constructor(private readonly id: string, readonly log: string, readonly text: string, readonly isExact: boolean) {}

  is(log: string, text: string, isExact: boolean): boolean {
    return this.log === log && this.text === text && this.isExact === isExact;
  }

  /** Continues the search, about a second at a time, until another match, the end, or another request of the reader. */
  async more(isWanted: () => boolean): Promise<void> {
    const known = this.matches.length;
    for (let i = 0; i < PATIENCE && this.next !== null && this.matches.length === known && isWanted(); i++) {
      const found = await call("GET /runs/{id}/output/search", {
        path: { id: this.id }, query: { step: this.log, q: this.text, case: this.isExact, offset: this.next, limit: 1000 },
      });
      this.size = found.size;
      this.next = found.next;
      const last = this.matches.at(-1) ?? -1;
      this.matches.push(...found.matches.map((it) => it.offset).filter((it) => it > last));
    }
  }

  /** Searches what was written since; from the last match on, because its line may have been open. */
  grow(size: number): void {
    if (this.next === null && size > this.size) this.next = Math.max(this.size - 1, 0);
  }

  /** The next match after a position, or the one before it; at the end, the first one, and so on. */
  from(position: number, direction: 1 | -1): number | undefined {
    return direction > 0
      ? this.matches.find((it) => it > position) ?? this.matches[0]
      : this.matches.findLast((it) => it < position) ?? this.matches.at(-1);
  }

  /** "match 3 of 12", "no match". */
  words(marked: number | null): string {
    const at = marked === null ? -1 : this.matches.indexOf(marked);
    const count = this.matches.length.toLocaleString("en");
    const of = this.matches.length === 0 ? "no match" : at >= 0 ? `match ${(at + 1).toLocaleString("en")} of ${count}`
      : this.matches.length === 1 ? "1 match" : `${count} matches`;
    return this.next === null ? of : `${of} in the first ${Math.floor(this.next / Math.max(1, this.size) * 100)} %`;
  }
}
