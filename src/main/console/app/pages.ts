// The pages and their addresses. A page is loaded when it is first needed.

export type Page = { pattern: RegExp; element: string; title: string; load: () => Promise<unknown> };

export const pages: Page[] = [
  { pattern: /^\/console\/$/, element: "page-now", title: "Now", load: () => import("../pages/now") },
  { pattern: /^\/console\/runs$/, element: "page-runs", title: "Runs", load: () => import("../pages/runs") },
  { pattern: /^\/console\/runs\/(?<name>[^/]+)$/, element: "page-run", title: "Run", load: () => import("../pages/run") },
  { pattern: /^\/console\/approvals(?:\/(?<name>[^/]+))?$/, element: "page-approvals", title: "Approvals", load: () => import("../pages/approvals") },
  { pattern: /^\/console\/locks$/, element: "page-locks", title: "Locks", load: () => import("../pages/locks") },
  { pattern: /^\/console\/locks\/(?<name>[^/]+)$/, element: "page-lock", title: "Lock", load: () => import("../pages/lock") },
  { pattern: /^\/console\/intents$/, element: "page-intents", title: "Intents", load: () => import("../pages/intents") },
  { pattern: /^\/console\/intents\/(?<name>[^/]+)$/, element: "page-intent", title: "Intent", load: () => import("../pages/intent") },
  { pattern: /^\/console\/tasks(?:\/(?<name>[^/]+))?$/, element: "page-tasks", title: "Tasks", load: () => import("../pages/tasks") },
  { pattern: /^\/console\/mailboxes(?:\/(?<name>[^/]+))?$/, element: "page-mailboxes", title: "Mailboxes", load: () => import("../pages/mailboxes") },
  { pattern: /^\/console\/audit$/, element: "page-audit", title: "Audit", load: () => import("../pages/audit") },
  { pattern: /^\/console\/hosts$/, element: "page-hosts", title: "Hosts", load: () => import("../pages/hosts") },
];
