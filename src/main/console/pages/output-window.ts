// A window over the output of one step: at most 2,000 lines, read by position, so that a log of any size is as light as another.
import { call, type Schemas } from "../record/api";

export type Line = Schemas["OutputLine"];
type Part = Schemas["OutputWindow"];

const MOST_LINES = 2_000;
/** The lines that one reading adds. */
const STEP = 500;
/** Output that grew by more than that is not read in full: the window moves to its end, and shows fewer lines, to be drawn fast. */
const BURST = 32 * 1024;
const FEW = 250;

export class OutputWindow {
  /** Never changed in place, so that its identity says whether it has to be drawn again. */
  lines: readonly Line[] = [];
  begin = 0;
  next = 0;
  size = 0;
  /** Whether the step has written its last byte. */
  isComplete = false;
  /** Whether anything is known about the output. */
  isRead = false;
  /** Why there is no output yet, or what is missing at its end. */
  note = "";

  constructor(private readonly id: string, readonly log: string) {}

  get isAtEnd(): boolean {
    return this.next >= this.size || this.lines.at(-1)?.open === true;
  }

  has(offset: number): boolean {
    return offset >= this.begin && offset <= (this.lines.at(-1)?.offset ?? -1);
  }

  async head(): Promise<void> {
    this.replace(await this.read({ offset: 0, lines: STEP }));
  }

  async tail(lines = STEP): Promise<void> {
    if (this.size === 0) this.learn(await this.read({ offset: -1, lines: 1 }));
    this.replace(await this.read(this.size > 0 ? { before: this.size, lines } : { offset: 0, lines }));
  }

  /** The lines around the line at a position. */
  async around(offset: number): Promise<void> {
    if (this.size === 0) this.learn(await this.read({ offset: -1, lines: 1 }));
    this.replace(await this.read({ offset: Math.min(offset, this.size), lines: FEW }));
    if (this.begin > 0) await this.older(FEW);
  }

  async older(lines = STEP): Promise<void> {
    if (this.begin === 0) return;
    const part = await this.read({ before: this.begin, lines });
    const all = [...part.lines, ...this.lines];
    this.learn(part);
    this.begin = part.offset;
    this.lines = all.slice(0, MOST_LINES);
    this.next = all[MOST_LINES]?.offset ?? this.next;
  }

  async newer(lines = STEP): Promise<void> {
    const part = await this.read({ offset: this.next, lines });
    // The last line may have been open; it comes again as a whole.
    const all = [...this.lines.filter((it) => it.offset < part.offset), ...part.lines];
    this.learn(part);
    this.next = part.next;
    this.lines = all.slice(-MOST_LINES);
    this.begin = this.lines[0]?.offset ?? part.offset;
  }

  /** Shows what was written since; returns the number of new lines, and whether some were skipped. */
  async catchUp(size: number): Promise<{ lines: number; isSkipped: boolean }> {
    this.size = Math.max(this.size, size);
    const last = this.lines.at(-1);
    const isSkipped = this.size - this.next > BURST;
    await (isSkipped ? this.tail(FEW) : this.newer());
    const from = last ? last.offset + (last.open ? 0 : 1) : 0;
    return { lines: this.lines.filter((it) => it.offset >= from).length, isSkipped: isSkipped && this.begin > from };
  }

  private read(query: { offset?: number; before?: number; lines: number }): Promise<Part> {
    return call("GET /runs/{id}/output", { path: { id: this.id }, query: { step: this.log, ...query } });
  }

  private replace(part: Part): void {
    this.learn(part);
    this.lines = part.lines;
    this.begin = part.offset;
    this.next = part.next;
  }

  private learn(part: Part): void {
    this.isRead = true;
    this.size = part.size;
    this.isComplete = part.finished;
    this.note = part.note ?? "";
  }
}
