// Server-sent events over fetch, because EventSource cannot send a token.
import { send } from "./api";

export type ServerEvent = { id: string; name: string; data: string };

/** The longest silence of a living stream; the service sends a sign of life every 10 s. */
const SILENCE_MS = 25_000;
/** A tab that is hidden for longer gives its connections back, because a browser has only six for one service. */
const HIDDEN_MS = 10_000;

/** Waits until the tab is shown or the wait is aborted. */
function shown(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!document.hidden || signal.aborted) {
        document.removeEventListener("visibilitychange", look);
        signal.removeEventListener("abort", look);
        resolve();
      }
    };
    document.addEventListener("visibilitychange", look);
    signal.addEventListener("abort", look);
    look();
  });
}

/** Reads a stream until it ends, fails, falls silent, is aborted, or its tab is hidden. */
export async function* events(url: string, signal: AbortSignal, lastId = "", silenceMs = SILENCE_MS): AsyncGenerator<ServerEvent> {
  await shown(signal);
  const ended = new AbortController();
  const stop = () => ended.abort();
  let hidden = 0;
  const look = () => {
    clearTimeout(hidden);
    if (document.hidden) hidden = window.setTimeout(stop, HIDDEN_MS);
  };
  document.addEventListener("visibilitychange", look);
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  addEventListener("offline", stop);
  let silence = setTimeout(stop, silenceMs);
  try {
    const response = await send("GET", url, {
      signal: ended.signal,
      headers: { Accept: "text/event-stream", ...(lastId ? { "Last-Event-ID": lastId } : {}) },
    });
    if (response.status === 204 || !response.body) return;
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(silence);
      silence = setTimeout(stop, silenceMs);
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = parse(block);
        if (event) yield event;
      }
    }
  } finally {
    clearTimeout(silence);
    clearTimeout(hidden);
    document.removeEventListener("visibilitychange", look);
    signal.removeEventListener("abort", stop);
    removeEventListener("offline", stop);
    ended.abort();
  }
}

function parse(block: string): ServerEvent | undefined {
  const event: ServerEvent = { id: "", name: "message", data: "" };
  let isEvent = false;
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    const value = line.slice(colon + 1).replace(/^ /, "");
    switch (line.slice(0, colon)) {
      case "id": event.id = value; break;
      case "event": event.name = value; break;
      case "data": event.data = event.data ? `${event.data}\n${value}` : value; isEvent = true; break;
      default: break;
    }
  }
  return isEvent ? event : undefined;
}
