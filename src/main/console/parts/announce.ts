// One short line for screen readers. It changes at most every few seconds, so that it does not chatter.
import { Signal } from "../record/signal";

export const announcement = new Signal<string>("");
const PAUSE_MS = 3_000;
const waiting: string[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;

export function announce(text: string): void {
  if (waiting.at(-1) !== text) waiting.push(text);
  timer ??= setTimeout(say, 100);
}

function say(): void {
  timer = undefined;
  if (waiting.length === 0) return;
  const [first, ...others] = waiting.splice(0);
  announcement.value = others.length === 0 ? first! : others.length < 3 ? [first, ...others].join(" ") : `${others.length + 1} changes.`;
  timer = setTimeout(say, PAUSE_MS);
}
