/** Manifests written in arbitrary ways. */

import fc from "fast-check";

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

/** Choices of a writer; each is a number from 0 below `among`. */
export type Choose = (among: number) => number;

const word = fc.constantFrom("a", "web", "x1", "yes", "12", "a: b", "#no", "é");

const volume = fc.oneof(
  fc.record({ name: word, emptyDir: fc.constant({}) }),
  fc.record({
    name: word,
    configMap: fc.record({ name: word, text: fc.constant("l1\nl2\n") }),
  }),
);

const mount = fc.record({
  name: word,
  mountPath: fc.constantFrom("/a", "/b: c"),
  readOnly: fc.boolean(),
});

const injectedVolume = fc.constantFrom<Json>(
  { name: "talos-secrets", secret: { secretName: "web-talos-secrets" } },
  { name: "talos-secrets", secret: { secretName: "old-talos-secrets" } },
  { name: "talos-secrets", emptyDir: {} },
);

const injectedMount = fc.constantFrom<Json>(
  { mountPath: "/var/run/secrets/talos.dev", name: "talos-secrets" },
  { mountPath: "/elsewhere", name: "talos-secrets" },
);

/** A list under a key, or the ways to have none. */
function listAll(key: string, item: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  return fc.oneof(
    fc.constant({}),
    fc.constant({ [key]: null }),
    fc.array(item, { maxLength: 3 }).map((items) => ({ [key]: items })),
  ) as fc.Arbitrary<Json>;
}

const container = fc.tuple(
  fc.record({ name: word, image: word }),
  listAll("volumeMounts", fc.oneof(mount, mount, injectedMount)),
  fc.constantFrom<Json>({}, { env: [{ name: "A", value: "1" }] }),
).map(mergeAll);

const pod = fc.tuple(
  fc.constantFrom<Json>({}, { hostNetwork: true }),
  listAll("initContainers", container),
  fc.array(container, { minLength: 1, maxLength: 3 }).map((containers) => ({
    containers,
  })),
  listAll("volumes", fc.oneof(volume, volume, injectedVolume)),
  fc.constantFrom<Json>({}, { restartPolicy: "Never" }),
).map(mergeAll);

const metadata = fc.record({
  name: fc.constantFrom("web", "db", "on"),
  namespace: fc.constantFrom("ns", "12"),
}, { requiredKeys: ["name"] });

const workload: fc.Arbitrary<Json> = fc.tuple(
  fc.constantFrom("Pod", "Deployment", "CronJob"),
  metadata,
  pod,
).map(([kind, metadata, pod]) => {
  const template = { spec: { template: { spec: pod } } };
  const head = { kind, metadata };
  if (kind === "Pod") return { apiVersion: "v1", ...head, spec: pod };
  if (kind === "CronJob") {
    const spec = { jobTemplate: template };
    return { apiVersion: "batch/v1", ...head, spec };
  }
  return { apiVersion: "apps/v1", ...head, ...template, status: {} };
});

const account: fc.Arbitrary<Json> = fc.record({
  apiVersion: fc.constant("talos.dev/v1alpha1"),
  kind: fc.constant("ServiceAccount"),
  metadata: fc.constantFrom("web", "db").map((name) => ({
    name: `${name}-talos-secrets`,
  })),
  spec: fc.constant({ roles: ["os:reader"] }),
});

const other: fc.Arbitrary<Json> = fc.record({
  apiVersion: fc.constant("v1"),
  kind: fc.constantFrom("ConfigMap", "Service"),
  metadata,
  data: fc.dictionary(word, word),
});

const single = fc.oneof(
  { arbitrary: workload, weight: 4 },
  { arbitrary: other, weight: 1 },
  { arbitrary: account, weight: 1 },
);

const list: fc.Arbitrary<Json> = fc.record({
  apiVersion: fc.constant("v1"),
  kind: fc.constant("List"),
  items: fc.array(single, { maxLength: 3 }),
});

/** Objects of a stream. */
export const objects: fc.Arbitrary<readonly Json[]> = fc.array(
  fc.oneof(
    { arbitrary: single, weight: 6 },
    { arbitrary: list, weight: 2 },
    { arbitrary: fc.constant(null), weight: 1 },
  ),
  { minLength: 1, maxLength: 4 },
).map((made) => JSON.parse(JSON.stringify(made)));

/** Makes such choices. */
export const choices: fc.Arbitrary<readonly number[]> = fc.array(
  fc.nat({ max: 59 }),
  { minLength: 40, maxLength: 200 },
);

/**
 * Writes objects as a stream. Each comment in it is `#c` and a number of its own.
 *
 * @param objects Objects of the stream.
 * @param numbers Decisions, used one after the other and again from the start.
 */
export function toText(
  objects: readonly Json[],
  numbers: readonly number[],
): string {
  let next = 0;
  const choose = (among: number) =>
    (numbers[next++ % numbers.length] ?? 0) % among;
  let comments = 0;
  const comment = () => `#c${comments++}`;
  const eol = choose(4) === 0 ? "\r\n" : "\n";
  const pen = { choose, comment, step: 2 + 2 * choose(2), dash: 2 * choose(3) };
  const documents = objects.map((object) =>
    choose(6) === 0
      ? `${JSON.stringify(object, null, 2 * choose(3))}\n`
      : block(object, 0, pen).join("\n") + "\n"
  );
  const first = choose(2) === 0 ? "---\n" : "";
  const text = first + documents.join(choose(3) === 0 ? "---  # c\n" : "---\n");
  return text.replaceAll("\n", eol);
}

interface Pen {
  readonly choose: Choose;
  readonly comment: () => string;
  readonly step: number;
  readonly dash: number;
}

function block(value: Json, column: number, pen: Pen): string[] {
  const { choose, comment } = pen;
  const pad = " ".repeat(column);
  const lines: string[] = [];
  const behind = () => choose(5) === 0 ? ` ${comment()}` : "";
  const above = () => {
    if (choose(8) === 0) lines.push(`${pad}${comment()}`);
    if (choose(12) === 0) lines.push("");
  };
  if (Array.isArray(value) && value.length > 0) {
    for (const item of value) {
      above();
      const inner = block(item, column + 2, pen);
      const onLine = !isBlock(item) || inner[0]?.trim().startsWith("#") ||
        inner[0] === "";
      if (onLine && isBlock(item)) lines.push(`${pad}-`, ...inner);
      else {lines.push(
          `${pad}- ${inner[0]?.slice(column + 2)}`,
          ...inner.slice(1),
        );}
    }
    return lines;
  }
  if (!isBlock(value)) return [pad + flow(value, column, pen) + behind()];
  for (const [key, one] of Object.entries(value as Record<string, Json>)) {
    above();
    const name = `${pad}${scalar(key, pen)}:`;
    if (typeof one === "string" && one.endsWith("\n")) {
      const text = one.trimEnd().split("\n").map((line) => `${pad}  ${line}`);
      lines.push(`${name} |`, ...text);
    } else if (!isBlock(one) || choose(7) === 0) {
      const empty = one === null && choose(2) === 0;
      lines.push(
        name + (empty ? "" : ` ${flow(one, column + 1, pen)}`) + behind(),
      );
    } else {
      const by = Array.isArray(one) ? pen.dash : pen.step;
      lines.push(name + behind(), ...block(one, column + by, pen));
    }
  }
  if (choose(10) === 0) lines.push(`${pad}${comment()}`);
  return lines;
}

function isBlock(value: Json): boolean {
  return typeof value === "object" && value !== null &&
    Object.keys(value).length > 0;
}

function flow(value: Json, column: number, pen: Pen): string {
  if (typeof value !== "object" || value === null) return scalar(value, pen);
  const { choose, comment } = pen;
  const list = Array.isArray(value);
  const parts = list
    ? value.map((one) => flow(one, column + 2, pen))
    : Object.entries(value).map(([key, one]) =>
      `${scalar(key, pen)}: ${flow(one, column + 2, pen)}`
    );
  const [open, close] = list ? "[]" : "{}";
  const trailing = parts.length > 0 && choose(6) === 0 ? "," : "";
  if (choose(3) > 0 || parts.length === 0) {
    return open + parts.join(", ") + trailing + close;
  }
  const pad = `\n${" ".repeat(column + 2)}`;
  const behind = parts.map((_, i) => {
    const comma = i < parts.length - 1 ? "," : trailing;
    return comma + (choose(4) === 0 ? ` ${comment()}` : "");
  });
  const inner = parts.map((part, i) => pad + part + behind[i]).join("");
  return `${open}${inner}\n${" ".repeat(column)}${close}`;
}

function scalar(value: Json, { choose }: Pen): string {
  if (typeof value !== "string") return String(value);
  const plain = /^[A-Za-z/é]([A-Za-z0-9/.-]*[A-Za-z0-9])?$/.test(value);
  const style = choose(4);
  if (style === 0 && !value.includes("\n")) return `'${value}'`;
  return plain && style > 1 ? value : JSON.stringify(value);
}

function mergeAll(parts: readonly Json[]): Json {
  return Object.assign({}, ...parts);
}
