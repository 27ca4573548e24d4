// The address of the browser, and steps to other addresses. Which page an address has is in app/pages.ts.
import { Signal } from "../record/signal";

export type Place = { path: string; query: URLSearchParams; hash: string };

function here(): Place {
  return { path: location.pathname, query: new URLSearchParams(location.search), hash: location.hash.slice(1) };
}

export const place = new Signal<Place>(here());
/** How far each address was scrolled when it was left, and whether the reader has returned to the current one. */
const scrolled = new Map<string, number>();
let isBack = false;
addEventListener("popstate", () => {
  isBack = true;
  arrive();
});

/** Where the current page begins: a page that the reader returns to is shown as it was left. */
export function scrollToPlace(): void {
  const top = isBack ? scrolled.get(location.pathname + location.search) ?? 0 : 0;
  isBack = false;
  scrollTo(0, top);
}

/** Reads the current address of the browser. */
export function arrive(): void {
  place.value = here();
}

/** Whether the address is that of a return from an issuer after a sign-in there. */
export function isReturn(): boolean {
  const { path, query } = here();
  return path === "/console/" && query.has("state") && (query.has("code") || query.has("error"));
}

/** Goes to an address of the console. */
export function go(address: string): void {
  scrolled.set(location.pathname + location.search, scrollY);
  isBack = false;
  if (address === location.pathname + location.search + location.hash) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  place.value = here();
}

/** Changes the query or the hash of the present address, without a step in the history. */
export function replace(query: Record<string, string | undefined>, hash?: string): void {
  const next = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(query)) {
    if (value) next.set(name, value); else next.delete(name);
  }
  history.replaceState(null, "", location.pathname + (next.size ? `?${next}` : "") + (hash ? `#${hash}` : ""));
  place.value = here();
}

/** Links within the console do not load the page again. */
export function followLinks(root: EventTarget): void {
  root.addEventListener("click", (event) => {
    const click = event as MouseEvent;
    const link = (click.target as Element).closest?.("a[href]") as HTMLAnchorElement | null;
    // A link within the page is left to the browser.
    if (!link || link.getAttribute("href")!.startsWith("#") || click.defaultPrevented || click.button !== 0 || click.metaKey || click.ctrlKey || click.shiftKey
        || link.target || link.hasAttribute("download") || link.origin !== location.origin
        || !link.pathname.startsWith("/console/")) return;
    click.preventDefault();
    go(link.pathname + link.search + link.hash);
  });
}
