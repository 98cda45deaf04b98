/** Notation for patches and their results in tests. */

/** One patch. */
export interface PatchCase {
  readonly name: string;
  readonly from: string;
  readonly patch: string;
  readonly to: string;
  readonly notes?: readonly string[];
  /** Reason for a result other than that of a node's own tools. */
  readonly own?: string;
}

/** A case in one row. */
export type Row = readonly [
  name: string,
  from: string,
  patch: string,
  to: string,
  more?: Pick<PatchCase, "notes" | "own">,
];

/** Notes of a patch that changes nothing. */
export const unchanged = { notes: ['patch "p" changes nothing'] };
/** Notes of a patch that makes a list longer. */
export const grown = (path: string, count = 1) => ({
  notes: [`${path}: ${count} appended to the existing list`],
});

/** A document of a kind with the entries of a mapping in flow style. */
export function kind(kind: string, entries: string): string {
  return `{apiVersion: v1alpha1, kind: ${kind}${entries && `, ${entries}`}}\n`;
}

/** Cases out of rows. */
export function toCases(rows: readonly Row[]): readonly PatchCase[] {
  return rows.map(([name, from, patch, to, more]) => ({
    name,
    from,
    patch,
    to,
    ...more,
  }));
}
