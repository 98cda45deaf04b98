/** Nodes of a plan and the steps on each, for its page. */

import { lowerFirst } from "./activity.ts";
import {
  type FanOutRow,
  formatNumbers,
  formatTitle,
  isOpen,
  leaves,
  listFanOuts,
  listRuns,
  listWork,
  type StepRow,
} from "./plan_rows.ts";

const mostNames = 4;

/** Length from which a common start of names is shown once. */
const longPrefix = 6;

/** Nodes of a fan-out and how many at once; an earlier step with the same nodes is named instead. */
export function formatFanOut(
  { stage: { open, group, batches }, number, title }: FanOutRow,
  rows: readonly StepRow[],
): string {
  const nodes = batches.flat();
  if (open) return `nodes of ${group}, known at run time`;
  if (nodes.length === 0) return "no nodes";
  if (nodes.length === 1) return nodes.join();
  const pace = formatPace({ batches });
  const others = listFanOuts(rows).filter((one) => one.number !== number);
  const all = new Set(others.flatMap(({ stage }) => stage.batches.flat()));
  const named = others.filter(({ stage }) =>
    stage.batches.flat().length < nodes.length
  ).flatMap(({ stage }) => stage.batches.flat());
  const earlier = others.find((one) =>
    one.number < number && `${one.stage.batches.flat()}` === `${nodes}`
  );
  if (earlier !== undefined && formatPace(earlier.stage) === pace) {
    return `as step ${earlier.number}`;
  }
  const names = earlier !== undefined
    ? `nodes of step ${earlier.number}`
    : nodes.length === all.size && nodes.every((name) => named.includes(name))
    ? `all ${nodes.length} nodes`
    : formatNames(nodes);
  if (title.endsWith(pace)) return names;
  return names.startsWith("all") && pace === "all at once"
    ? `${names} at once`
    : `${names}; ${pace}`;
}

/** Versions from which the nodes of a fan-out come and to which they go; empty without an upgrade. */
export function formatVersions(
  { steps }: FanOutRow["stage"],
): readonly string[] {
  const upgrades = listRuns(steps).flatMap(({ previews }) =>
    previews.flatMap(({ node = "", actions }) =>
      actions.flatMap(({ from, to }) =>
        from === undefined || to === undefined
          ? []
          : [{ node, text: `from ${from} to ${to}` }]
      )
    )
  );
  const groups = [...Map.groupBy(upgrades, ({ text }) => text)];
  return groups.map(([text, nodes]) =>
    groups.length === 1
      ? text
      : `${formatNames(nodes.map(({ node }) => node))} ${text}`
  );
}

function formatPace(
  { batches }: Pick<FanOutRow["stage"], "batches">,
): string {
  const sizes = batches.map(({ length }) => length);
  const [first = 1, second = first] = sizes;
  if (second > first) return `${first}, then ${second} at once`;
  if (first === 1) return "one at a time";
  return sizes.length === 1 ? "all at once" : `${first} at once`;
}

/** Formats names; further names with the same start are shortened: `worker-1, -2`. */
function formatNames(names: readonly string[]): string {
  const shown = names.length > mostNames + 1
    ? names.slice(0, mostNames)
    : names;
  const start = names[0]?.replace(/[^-]*$/, "") ?? "";
  const short = shown.map((name, i) =>
    i > 0 && start.length >= longPrefix && name.startsWith(start) &&
      name.length > start.length
      ? name.slice(start.length - 1)
      : name
  );
  const more = names.length - shown.length;
  return short.join(", ") + (more === 0 ? "" : ` and ${more} more`);
}

/** Steps on each node, once for all fan-outs; those of only some of them with their numbers. */
export function nodeSteps(rows: readonly StepRow[]): readonly string[] {
  const long = listFanOuts(rows).flatMap((row) => {
    const steps = leaves(row.stage.steps);
    const inner = [row.stage, ...row.stage.steps.flatMap(listWork)];
    return steps.length < 2 ? [] : [{
      number: row.number,
      steps: steps.map((one) =>
        `${lowerFirst(formatTitle(one))}${isOpen(one) ? " (if needed)" : ""}`
      ),
      after: [
        ["if it fails", inner.flatMap(({ rescue }) => rescue)] as const,
        ["in any case", inner.flatMap(({ always }) => always)] as const,
      ].flatMap(([when, stages]) => {
        const titles = leaves(stages).map((one) =>
          lowerFirst(formatTitle(one))
        );
        return titles.length === 0 ? [] : [`  ${when}: ${titles.join(", ")}`];
      }),
    }];
  });
  const alike = Map.groupBy(long, ({ after }) => after.join("\n"));
  return [...alike.values()].flatMap((works) => {
    const [{ steps: longest = [], after = [] } = {}] = works
      .toSorted((a, b) => b.steps.length - a.steps.length);
    const same = Map.groupBy(
      works,
      ({ steps }) => isWithin(steps, longest) ? "" : steps.join(),
    );
    return [...same.values()].flatMap((group) => {
      const [{ steps: all = [] } = {}] = group
        .toSorted((a, b) => b.steps.length - a.steps.length);
      const texts = all.map((step) => {
        const having = group.filter(({ steps }) => steps.includes(step));
        return having.length === group.length
          ? step
          : `${step} (${formatNumbers(having)})`;
      });
      return [`${formatNumbers(group)}: ${texts.join(", ")}`, ...after];
    });
  });
}

/** Reports whether some steps are the steps of another list, in its order, without some. */
function isWithin(some: readonly string[], all: readonly string[]): boolean {
  const kept = all.filter((one) => some.includes(one));
  return kept.length === some.length &&
    kept.every((one, i) => one === some[i]);
}
