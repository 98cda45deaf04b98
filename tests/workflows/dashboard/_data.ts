/** Data for pages in tests. */

import { runFeeds } from "../../../workflows/dashboard/feeds/all.ts";
import { lineText } from "../../../terminal/screen_line.ts";
import type { Resource } from "../../../transport/gen/cosi_resource.ts";
import type {
  DashboardData,
  Feed,
  Reading,
} from "../../../workflows/dashboard/feed.ts";
import type { DashboardContext } from "../../../workflows/dashboard/state.ts";
import type {
  Page,
  PageContext,
} from "../../../workflows/dashboard/pages/page.ts";

export type Known = readonly [
  node: string,
  // Feeds of all types meet here.
  // deno-lint-ignore no-explicit-any
  feed: Feed<any>,
  reading: Reading<unknown>,
];

/** Data with nothing but what is given. */
export function makeData(known: readonly Known[]): DashboardData {
  const readings = new Map(
    known.map(([node, feed, reading]) => [`${node} ${feed.name}`, reading]),
  );
  return {
    of<T>(node: string, feed: Feed<T>) {
      // A test gives what the feed would.
      return (readings.get(`${node} ${feed.name}`) ?? {}) as Reading<T>;
    },
  };
}

/** A resource with a spec in YAML. */
export function makeResource(id: string, yamlSpec: string): Resource {
  return {
    metadata: {
      namespace: "runtime",
      type: "Things.runtime",
      id,
      version: "3",
      owner: "",
      phase: "running",
      created: undefined,
      updated: undefined,
      finalizers: [],
      annotations: {},
      labels: {},
    },
    spec: { protoSpec: new Uint8Array(), yamlSpec },
  };
}

/** Resources by id. */
export function makeMap(
  specs: Readonly<Record<string, string>>,
): ReadonlyMap<string, Resource> {
  return new Map(
    Object.entries(specs).map(([id, yaml]) => [id, makeResource(id, yaml)]),
  );
}

/** 2026-03-01T12:00:00Z. */
export const noon = 1_772_366_400_000;

export function dashboardContext(
  data: DashboardData,
  [columns, rows]: readonly [number, number] = [80, 24],
): DashboardContext {
  return {
    data,
    runs: runFeeds("/nowhere"),
    commands: ["reboot", "node drain", "upgrade", "service", "runbook stop"]
      .map((name) => ({
        name,
        aliases: [],
        takesNodes: !name.startsWith("runbook"),
      })),
    size: { columns, rows },
    now: noon,
  };
}

/** Data of a page; the first node is selected. */
export function pageContext(
  data: DashboardData,
  { columns = 80, rows = 24, ...more }:
    & Partial<PageContext>
    & { readonly columns?: number; readonly rows?: number } = {},
): PageContext {
  const nodes = more.nodes ?? ["10.0.0.2"];
  return {
    nodes,
    node: nodes[0] ?? "",
    path: [],
    marked: [],
    place: {
      id: "",
      at: -1,
      top: 0,
      isFollowed: true,
      filter: "",
      sort: "",
    },
    log: "kernel",
    data,
    runs: runFeeds("/nowhere"),
    size: { columns, rows },
    now: noon,
    ...more,
  };
}

/** The text of a page, line by line. */
export function renderPage(
  page: Page,
  context: PageContext,
): readonly string[] {
  const { head, rows } = page.draw(context);
  return [...head, ...rows.map(({ line }) => line)]
    .map((line) => lineText(line).trimEnd());
}
