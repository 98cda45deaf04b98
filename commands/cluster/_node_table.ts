import type { LocalNode } from "../../provisioners/mod.ts";
import { tableDrawing } from "../../terminal/tabular.ts";
import { bytesText, table } from "../_kit/mod.ts";

interface NodeTableOptions {
  /** State of each node; omitted for no such column. */
  readonly renderState?: ((node: LocalNode) => string) | undefined;
  /** Width of the terminal; omitted for no limit. */
  readonly columns?: number | undefined;
}

/** Formats a node table. Omits sizes that no node has, and columns that do not fit, the least important first; the
 * last line names these. */
export function nodeTable(
  nodes: readonly LocalNode[],
  { renderState, columns }: NodeTableOptions = {},
): string {
  const [first, ...others] = nodes;
  if (first === undefined) return "";
  const size = (bytes: number) => bytes === 0 ? "-" : bytesText(bytes);
  const view = table<LocalNode>({
    NAME: { cell: ({ name }) => name, name: true },
    TYPE: { cell: ({ type }) => type, priority: 3 },
    IP: { cell: ({ ips }) => ips.join(","), priority: 2 },
    ...renderState && { STATE: { cell: renderState, priority: 1 } },
    ...nodes.some(({ nanocpus }) => nanocpus > 0) && {
      CPU: {
        cell: ({ nanocpus }) =>
          nanocpus === 0 ? "-" : (nanocpus / 1e9).toFixed(2),
        priority: 4,
      },
    },
    ...nodes.some(({ memory }) => memory > 0) && {
      RAM: { cell: ({ memory }) => size(memory), priority: 5 },
    },
    ...nodes.some(({ disksize }) => disksize > 0) && {
      DISK: { cell: ({ disksize }) => size(disksize), priority: 6 },
    },
  });
  const drawing = tableDrawing(view, {
    columns: () => columns,
    wide: false,
    headers: true,
    marked: false,
    paint: (text) => text,
  });
  const rows = drawing.block([first, ...others], true);
  const notes = drawing.notes()
    .map((note) => `${note.replace("-o wide", "-o json")}\n`);
  return rows + notes.join("");
}
