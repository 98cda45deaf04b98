import assert from "node:assert/strict";
import { OsctlError, RpcError } from "../../../errors.ts";
import { nodeClient } from "../../../transport/call/client.ts";
import {
  EventType,
  type WatchRequest,
  WatchResponse,
} from "../../../transport/gen/cosi_resource.ts";
import { watchResources } from "../../../transport/stream/watch_resources.ts";

/** One event of a scripted node: `+a=1` created, `~` updated, `-` destroyed, `!` bootstrapped, `.` nothing. */
type Mark = string;

/** One attempt: the answers, each a list of events, and how it ends. */
interface Script {
  readonly answers: readonly (readonly Mark[])[];
  readonly fails?: Error;
}

const types: Readonly<Record<string, EventType>> = {
  "+": EventType.CREATED,
  "~": EventType.UPDATED,
  "-": EventType.DESTROYED,
  "!": EventType.BOOTSTRAPPED,
  ".": EventType.NOOP,
  "?": EventType.ERRORED,
};

function event(mark: Mark) {
  const [, kind = "", id, spec, bookmark] =
    /^(.)(\w*)(?:=(\w*))?(?:@(\d+))?$/.exec(mark) ?? [];
  return {
    eventType: types[kind] ?? EventType.NOOP,
    resource: { metadata: { id: id ?? "" }, spec: { yamlSpec: spec ?? "" } },
    ...(kind === "?" ? { error: "no space" } : {}),
    ...(bookmark ? { bookmark: new Uint8Array([Number(bookmark)]) } : {}),
  };
}

/** Watches a scripted node; after the last attempt the user interrupts. */
async function watch(
  scripts: readonly Script[],
  { id, bootIds = [] }: { id?: string; bootIds?: readonly string[] } = {},
) {
  const stop = new AbortController();
  const asked: (string | number)[] = [];
  const seen: string[] = [];
  const boots = bootIds.values();
  const client = nodeClient("a", {
    unary: () => Promise.reject(new Error("not asked")),
    async *stream(_method, request) {
      const script = scripts[asked.length];
      // The seam carries messages of all types; only `Watch` is called here.
      const { options } = request as WatchRequest;
      const anew = options?.bootstrapContents ? "contents" : "one";
      asked.push(options?.startFromBookmark?.[0] ?? anew);
      if (script === undefined) return stop.abort();
      for (const marks of script.answers) {
        yield WatchResponse.fromPartial({
          event: marks.map(event),
          // deno-lint-ignore no-explicit-any
        }) as any;
      }
      if (script.fails) throw script.fails;
    },
    close() {},
  }, {});
  const target = { namespace: "n", type: "T", ...(id ? { id } : {}) };
  const changes = watchResources(client, target, {
    signal: stop.signal,
    checkMs: 0,
    wait: () => Promise.resolve(),
    ...(bootIds.length > 0
      ? { bootId: () => Promise.resolve(boots.next().value) }
      : {}),
  });
  const error = await collect().then(() => undefined, (error) => error);
  return { seen: seen.join(" "), asked, error };

  async function collect() {
    for await (const change of changes) {
      if (change.kind === "gap") seen.push(`(${change.reason})`);
      else {
        const { event, resource } = change.item;
        const { metadata, spec } = resource;
        seen.push(`${event}:${metadata?.id}=${spec?.yamlSpec}`);
      }
    }
  }
}

const gone = new RpcError("UNAVAILABLE", "gone");

Deno.test("watchResources gives what is there and then every change", async () => {
  const { seen, asked } = await watch([
    { answers: [[], ["+a=1", "+b=1"], ["!"], ["~a=2", ".", "-b=1"]] },
  ]);
  assert.equal(seen, "created:a=1 created:b=1 updated:a=2 destroyed:b=1");
  assert.equal(asked[0], "contents");
});

Deno.test("watchResources resumes by the last bookmark and leaves a gap", async () => {
  const { seen, asked } = await watch([
    { answers: [[], ["+a=1", "!@1"], ["~a=2@2"], [".@3"]], fails: gone },
    { answers: [[], ["~a=3@4"]] },
  ]);
  assert.equal(
    seen,
    "created:a=1 updated:a=2 (connection lost) updated:a=3",
  );
  assert.deepEqual(asked, ["contents", 3, 4]);
});

Deno.test("watchResources reads all again when the node has lost the bookmark", async () => {
  const { seen, asked } = await watch([
    { answers: [[], ["+same=1", "+old=1", "+gone=1", "!@1"]], fails: gone },
    {
      answers: [],
      fails: new RpcError("FAILED_PRECONDITION", "invalid bookmark"),
    },
    { answers: [[], ["+same=1", "+old=2", "+new=1", "!@1", "~same=2"]] },
  ]);
  assert.equal(
    seen,
    "created:same=1 created:old=1 created:gone=1 (connection lost) " +
      "updated:old=2 created:new=1 destroyed:gone=1 updated:same=2",
  );
  assert.deepEqual(asked.slice(0, 3), ["contents", 1, "contents"]);
});

Deno.test("watchResources reads all again when the node rebooted", async () => {
  const { seen, asked } = await watch([
    { answers: [[], ["+a=1", "!@1"]], fails: gone },
    { answers: [[], ["+a=1", "+b=1", "!@1"]] },
  ], { bootIds: ["one", "two", "two"] });
  assert.equal(seen, "created:a=1 (node rebooted) created:b=1");
  assert.deepEqual(asked.slice(0, 2), ["contents", "contents"]);
});

Deno.test("watchResources does not resume half-way through what is there", async () => {
  const { seen, asked } = await watch([
    { answers: [[], ["+a=1@1"]], fails: gone },
    { answers: [[], ["+a=1@1", "+b=1@2", "!@3"]] },
  ]);
  assert.equal(seen, "created:a=1 (connection lost) created:b=1");
  assert.deepEqual(asked, ["contents", "contents", 3]);
});

Deno.test("watchResources follows one resource without any mark of its own", async () => {
  const { seen, asked } = await watch([
    { answers: [[], ["+a=1@1"], ["~a=2@2"]], fails: gone },
    {
      answers: [],
      fails: new RpcError("FAILED_PRECONDITION", "invalid bookmark"),
    },
    { answers: [[], ["+a=2@1"], ["-a=2@2"]], fails: gone },
    { answers: [[], ["+a=3@3"]] },
  ], { id: "a" });
  assert.equal(
    seen,
    "created:a=1 updated:a=2 (connection lost) destroyed:a=2 (connection lost) created:a=3",
  );
  assert.deepEqual(asked.slice(0, 4), ["one", 2, "one", 2]);
});

Deno.test("watchResources tells once that a resource is not there", async () => {
  const { seen } = await watch([
    { answers: [[], ["-a"]], fails: gone },
    { answers: [[], ["-a"], ["+a=1"]] },
  ], { id: "a" });
  assert.equal(seen, "destroyed:a= (connection lost) created:a=1");
});

Deno.test("watchResources fails with what the node says about the watch", async () => {
  const { error } = await watch([{ answers: [[], ["+a=1"], ["?"]] }]);
  assert.ok(error instanceof OsctlError);
  assert.equal(error.message, "Cannot continue watching resources: no space");
});

Deno.test("watchResources fails at once when the node refuses", async () => {
  const { error, asked } = await watch([
    { answers: [], fails: new RpcError("PERMISSION_DENIED", "no") },
  ]);
  assert.equal(error.message, "no");
  assert.equal(asked.length, 1);
});
