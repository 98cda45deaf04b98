/**
 * API of TypeScript runbooks: functions that assemble a document,
 * the same that a YAML file would contain.
 *
 * This file is also loaded as text, without other modules: it imports types only.
 */

import type {
  Api,
  Builder,
  Condition,
  Data,
  GateCheck,
  HandlerOptions,
  Inputs,
  Runbook,
  StepOptions,
  Steps,
  Value,
} from "./api.d.ts";
import type { Call, ProgramPlace } from "./sandbox.ts";

type RunbookDocument = { readonly [key: string]: unknown };

/** Records that the current call made a part; without a key, the whole owner. */
type MarkPart = (owner: object, key?: string | number) => void;

const places = new WeakMap<
  object,
  Map<string | number | undefined, ProgramPlace>
>();

/**
 * Makes the API for the default export of a runbook.
 *
 * @param here Finds the position of the current call; default none.
 */
export function makeApi(
  here: () => ProgramPlace | undefined = () => undefined,
): Api {
  const mark: MarkPart = (owner, key) => {
    const place = here();
    if (place === undefined) return;
    const known = places.get(owner) ?? new Map();
    places.set(owner, known.set(key, place));
  };
  return {
    runbook(name, head, fill) {
      const document: Record<string, unknown> = {
        apiVersion: "osctl/v1",
        kind: "Runbook",
        name,
        ...head,
      };
      mark(document);
      fill(makeBuilder(document, mark));
      return document as unknown as Runbook;
    },
    cel: (parts, ...values) =>
      makeValue(
        parts.reduce((text, part, index) =>
          text + renderCel(values[index - 1] ?? null) + part
        ),
      ),
  };
}

/**
 * Serializes a document as JSON; values become their expressions.
 *
 * @param made Return value of the default export.
 * @throws {TypeError} If it is not a runbook.
 */
export function documentText(made: unknown): string {
  const isRunbook = typeof made === "object" && made !== null &&
    (made as RunbookDocument)["kind"] === "Runbook";
  if (made instanceof Promise) {
    throw new TypeError("The default export is async; return the runbook");
  }
  if (!isRunbook) {
    throw new TypeError("The default export returns no runbook");
  }
  return JSON.stringify(made, null, 2);
}

/**
 * Lists the calls that made a document.
 *
 * @param made Return value of the default export.
 * @returns Parts by path, and the position of their calls; parts made by no call are missing.
 */
export function callsIn(made: unknown): readonly Call[] {
  if (typeof made !== "object" || made === null) return [];
  const own = places.get(made);
  const whole = own?.get(undefined);
  const isList = Array.isArray(made);
  return [
    ...whole === undefined ? [] : [{ path: [], ...whole }],
    ...Object.entries(made).flatMap(([name, part]) => {
      const key = isList ? Number(name) : name;
      const place = own?.get(key);
      const inner = callsIn(part).map(({ path, ...there }) => ({
        path: [key, ...path],
        ...there,
      }));
      return place === undefined
        ? inner
        : [{ path: [key], ...place }, ...inner];
    }),
  ];
}

function makeBuilder(
  document: Record<string, unknown>,
  mark: MarkPart,
): Builder {
  function part<T>(key: string): Record<string, T> {
    return (document[key] ??= {}) as Record<string, T>;
  }
  function put(kind: string, key: string, name: string, value: unknown) {
    const all = part(key);
    if (Object.hasOwn(all, name)) {
      throw new TypeError(`${kind} "${name}" already exists`);
    }
    all[name] = value;
    mark(all, name);
  }
  const steps: unknown[] = [];
  document["steps"] = steps;
  return {
    ...makeSteps(steps, mark),
    input: makeInputs((name, value) => put("Input", "inputs", name, value)),
    variable(name, value) {
      put("Constant", "vars", name, value);
      return makeValue(member("vars", name));
    },
    group(name, group) {
      const { where, ...others } = group;
      put("Group", "groups", name, { ...others, ...conditional({ where }) });
      return name;
    },
    rescue: (fill) => {
      mark(document, "rescue");
      document["rescue"] = collectSteps(fill, mark);
    },
    always: (fill) => {
      mark(document, "always");
      document["always"] = collectSteps(fill, mark);
    },
    output: (name, value) => put("Output", "outputs", name, value),
  };
}

function makeInputs(put: (name: string, value: unknown) => void): Inputs {
  function kind(type: string): Inputs["string"] {
    return (name, options = {}) => {
      put(name, { type, ...options });
      return makeValue(member("inputs", name));
    };
  }
  return {
    string: kind("string"),
    int: kind("int"),
    bool: kind("bool"),
    duration: kind("duration"),
    semver: kind("semver"),
    enum: (name, values, options = {}) => {
      put(name, { type: "enum", values, ...options });
      return makeValue(member("inputs", name));
    },
    countOrPercent: kind("countOrPercent"),
    path: kind("path"),
    node: kind("node"),
    nodes: kind("nodes"),
    secret: kind("secret"),
  };
}

function makeSteps(list: unknown[], mark: MarkPart): Steps {
  function add(id: string, options: StepOptions, verb: RunbookDocument): Value {
    const { when, ...others } = options;
    mark(list, list.length);
    list.push({ id, ...others, ...conditional({ when }), ...verb });
    return makeValue(member("steps", id));
  }
  function work(
    id: string,
    { rescue, always, ...options }: HandlerOptions,
    verb: RunbookDocument,
  ): Value {
    return add(id, options, {
      ...verb,
      ...rescue && { rescue: collectSteps(rescue, mark) },
      ...always && { always: collectSteps(always, mark) },
    });
  }
  return {
    run: (id, module, given, { until, ...options } = {}) =>
      add(id, options, {
        run: module,
        ...given && { with: given },
        ...until && {
          until: { ...until, ...conditional({ condition: until.condition }) },
        },
      }),
    gate: (id, checks, options = {}) => {
      add(id, options, { gate: checks.map(toCheck) });
    },
    approve: (id, question, options = {}) => {
      add(id, options, { approve: question });
    },
    assert: (id, that, message, options = {}) => {
      const text = message === undefined ? {} : { message };
      add(id, options, { assert: { ...conditional({ that }), ...text } });
    },
    decide: (id, value, options = {}) => {
      const name = id.replace(
        /[^A-Za-z0-9]+(.)/g,
        (_, one) => String(one).toUpperCase(),
      );
      add(id, options, { decide: { name, value } });
      return makeValue(member("decisions", name));
    },
    sleep: (id, duration, options = {}) => {
      add(id, options, { sleep: duration });
    },
    forEach: (id, nodes, strategy, fill, options = {}) =>
      work(id, options, {
        forEach: { nodes, strategy },
        steps: collectSteps(fill, mark),
      }),
    block: (id, fill, options = {}) =>
      work(id, options, { block: collectSteps(fill, mark) }),
    use: (id, source, given, options = {}) =>
      add(id, options, {
        use: source,
        ...given === "same-named" ? { pass: given } : given && { with: given },
      }),
  };
}

function collectSteps(fill: (steps: Steps) => void, mark: MarkPart): unknown[] {
  const list: unknown[] = [];
  fill(makeSteps(list, mark));
  return list;
}

function toCheck(check: string | GateCheck): unknown {
  if (typeof check === "string") return { check };
  const { when, ...others } = check;
  return { ...others, ...conditional({ when }) };
}

function conditional(
  conditions: Readonly<Record<string, Condition | undefined>>,
): RunbookDocument {
  return Object.fromEntries(
    Object.entries(conditions).flatMap(([key, one]) =>
      one === undefined
        ? []
        : [[key, typeof one === "string" ? one : one.expression]]
    ),
  );
}

function makeValue(expression: string): Value {
  const text = `\${{ ${expression} }}`;
  return {
    expression,
    get: (name) => makeValue(member(expression, name)),
    toString: () => text,
    toJSON: () => text,
  };
}

function member(owner: string, name: string): string {
  return /^[A-Za-z_]\w*$/.test(name)
    ? `${owner}.${name}`
    : `${owner}[${JSON.stringify(name)}]`;
}

/** CEL literal, or the expression of a value. */
function renderCel(data: Data): string {
  if (typeof data !== "object" || data === null) return JSON.stringify(data);
  if ("expression" in data && typeof data.expression === "string") {
    return data.expression;
  }
  if (Array.isArray(data)) return `[${data.map(renderCel).join(", ")}]`;
  const entries = Object.entries(data as Readonly<Record<string, Data>>);
  return `{${
    entries.map(([key, one]) => `${JSON.stringify(key)}: ${renderCel(one)}`)
      .join(
        ", ",
      )
  }}`;
}
