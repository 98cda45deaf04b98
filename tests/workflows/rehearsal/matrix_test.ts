import assert from "node:assert/strict";
import { parseClusterSpec } from "../../../workflows/rehearsal/cluster_shape.ts";
import { parseFault } from "../../../workflows/rehearsal/faults/parse_fault.ts";
import {
  listCases,
  makeRandom,
  type MatrixOptions,
} from "../../../workflows/rehearsal/matrix.ts";

const usual: MatrixOptions = {
  matrices: [],
  records: ["a", "b", "a", "b", "end"],
  calls: 2,
  cluster: parseClusterSpec("3cp+3w"),
  seed: 1,
  most: 0,
};

Deno.test("the kill matrix has every record twice: nothing is done behind it, or all before the next", () => {
  const cases = listCases({ ...usual, matrices: ["kill"] });
  assert.deepEqual(
    cases.map(({ faults }) => faults[0]!.replace(/ for .*/, "")),
    [
      "runner: kill @ record 1",
      "runner: kill-before @ record 2",
      "runner: kill @ record 2",
      "runner: kill-before @ record 3",
      "runner: kill @ record 3",
      "runner: kill-before @ record 4",
      "runner: kill @ record 4",
      "runner: kill-before @ record 5",
    ],
  );
  cases.flatMap(({ faults }) => faults).forEach(parseFault);
  assert.ok(cases.every(({ same }) => same));
});

Deno.test("the matrix of kinds has one record of each kind, another one with another seed", () => {
  const of = (seed: number) =>
    listCases({ ...usual, matrices: ["kill-kinds"], seed })
      .map(({ faults }) => Number(/record (\d+)/.exec(faults[0]!)![1]));
  assert.deepEqual(of(1).length, 4);
  const seen = new Set(
    Array.from({ length: 20 }, (_, seed) => of(seed)).flat(),
  );
  assert.deepEqual([...seen].toSorted(), [1, 2, 3, 4, 5]);
  for (const [first, before] of [of(1), of(2), of(3)]) {
    assert.equal(before, first! + 1, "behind it, and before the next one");
  }
});

Deno.test("the matrix of calls ends the process once at each", () => {
  const cases = listCases({ ...usual, matrices: ["kill-calls"] });
  assert.deepEqual(
    cases.map(({ faults }) => faults[0]!.replace(/ for .*/, "")),
    ["runner: kill @ call 1", "runner: kill @ call 2"],
  );
  cases.flatMap(({ faults }) => faults).forEach(parseFault);
  assert.ok(cases.every(({ same }) => same));
});

Deno.test("parts have every case once between them", () => {
  const options: MatrixOptions = { ...usual, matrices: ["kill", "network"] };
  const parts = [1, 2, 3].map((number) =>
    listCases({ ...options, part: { number, of: 3 } })
  );
  assert.deepEqual(parts.map((part) => part.length), [4, 4, 4]);
  const names = (cases: ReturnType<typeof listCases>) =>
    cases.map(({ name }) => name).toSorted();
  assert.deepEqual(names(parts.flat()), names(listCases(options)));
});

Deno.test("outages and second ends follow from the seed", () => {
  const of = (seed: number) =>
    listCases({
      ...usual,
      records: Array(100).fill("step"),
      matrices: ["kill"],
      seed,
    })
      .flatMap(({ faults }) => faults);
  assert.deepEqual(of(7), of(7));
  assert.notDeepEqual(of(7), of(8));
  const all = of(7).join();
  assert.match(all, / for 10s/);
  assert.match(all, / for 5m/);
  assert.ok(of(7).length > 2 * 99);
});

Deno.test("the network matrix cuts every call off, before and after it is run", () => {
  assert.deepEqual(
    listCases({ ...usual, matrices: ["network"] }).map(({ name }) => name),
    [
      "rpc/*: request-lost @ call 1",
      "rpc/*: reply-lost @ call 1",
      "rpc/*: request-lost @ call 2",
      "rpc/*: reply-lost @ call 2",
    ],
  );
});

Deno.test("the matrix of nodes has other sizes and boot loaders, and not the cluster itself", () => {
  const cases = listCases({ ...usual, matrices: ["nodes"] });
  assert.equal(cases.length, 11);
  assert.deepEqual(cases[0], {
    name: "sim:1cp,v1.13.4",
    faults: [],
    cluster: parseClusterSpec("1cp"),
    same: false,
  });
  assert.ok(cases.every(({ name }) => name !== "sim:3cp+3w,v1.13.4"));
});

Deno.test("some cases are chosen by chance, in their order", () => {
  const options = {
    ...usual,
    records: Array<string>(200).fill("step"),
    matrices: ["kill"],
    most: 20,
  };
  const numbers = listCases(options as MatrixOptions)
    .map(({ name }) => Number(/record (\d+)/.exec(name)?.[1]));
  assert.equal(numbers.length, 20);
  assert.deepEqual(numbers, numbers.toSorted((a, b) => a - b));
  assert.ok(numbers.at(-1)! > 100);
});

Deno.test("chance is from 0 to 1, and the same for the same seed", () => {
  const [one, other] = [makeRandom(3), makeRandom(3)];
  const numbers = Array.from({ length: 1_000 }, one);
  assert.deepEqual(numbers, Array.from({ length: 1_000 }, other));
  assert.ok(numbers.every((number) => number >= 0 && number < 1));
  const mean = numbers.reduce((sum, number) => sum + number, 0) / 1_000;
  assert.ok(Math.abs(mean - 0.5) < 0.05);
});
