/** The executable connects only to what its command line names: seen in its system calls, without a route to anywhere. */

import assert from "node:assert/strict";
import { entries } from "../../commands/_index.ts";
import { readCommands } from "../../tools/conformance/read_commands.ts";
import { isTried, wanted } from "../_matrix.ts";
import { executable, namespaces, needs, tracing } from "../_needs.ts";
import { osctl, run, withFolder } from "./_osctl.ts";

const alone = ["unshare", "--net"];
const loopback = "ip link set lo up";

/** Command line of the tracer; the path of the trace follows. */
const trace = ["strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=network"];

/** Commands that are not run, and why. */
const skipped: Readonly<Record<string, string>> = {
  "cluster serve": "cluster create embedded starts it, and is traced with it",
};

/** Clusters of other machines are made by other programs, and of what these download. */
function isSkipped(name: string): boolean {
  return name in skipped ||
    /^cluster create\b/.test(name) && name !== "cluster create embedded";
}

/** Lines in place of examples, which name registries that are not there, take long or would end the cluster. */
const lines: Readonly<Record<string, string>> = {
  "airgap mirror": "airgap mirror --image-list images.txt --to ./images",
  "airgap verify": "airgap verify --image-list images.txt",
  "cluster create embedded": "",
  "cluster destroy": "cluster destroy --name other --force",
  "config new": "config new --roles os:reader ./reader",
  "gen key": "gen key --name admin",
  "image cache-create":
    "image cache-create --images 127.0.0.1:5/a:v1 --image-cache-path ./cache",
  rollback: "rollback --nodes 10.0.0.5 --wait=false",
};

/** Time limit of a command, in seconds; the trace until then counts. */
const seconds = 5;

const reading = new Map(
  (await readCommands(entries)).map(({ name, line }) => [name, line]),
);

interface Case {
  readonly name: string;
  /** As a shell reads it, behind `osctl`. */
  readonly line: string;
}

const cases: readonly Case[] = await Promise.all(
  entries.filter(({ load, name }) => load && !isSkipped(name)).map(
    async ({ name, load }) => {
      const [example = name] = (await load?.())?.command.examples ?? [];
      // The use of the output by a shell does not matter.
      const [own = name] = example.split(/ [|>] /);
      return { name, line: lines[name] ?? reading.get(name) ?? own };
    },
  ),
);

/** Without the matrices, another part of the commands each day: all of them take half a minute of processor time. */
const parts = 32;
const today = Math.floor(Date.now() / 86_400_000) % parts;
const tried = cases.filter(({ name }, index) =>
  // One that reaches the cluster, always, so that a network that does not work is noticed.
  name === "version" ||
  (wanted === "all" ? isTried(index) : index % parts === today)
);

/** Runs one command after the other in a network of its own, beside a cluster that all of them reach. */
function script(some: readonly Case[]): string {
  const traced = (index: number, words: string) =>
    `${
      trace.join(" ")
    } -o ../${index}.trace timeout -s KILL ${seconds} ${words} </dev/null >/dev/null 2>&1`;
  const made = some.map(({ name, line }, index) => {
    // Its nodes are traced too, until they are stopped.
    const life =
      `"$OSCTL" cluster create embedded --name other --etcd model; "$OSCTL" cluster destroy --name other --force`;
    return name === "cluster create embedded"
      ? traced(index, `sh -c '${life}'`)
      // Some change the client configuration.
      : `cp ../.os/config ../osconfig; ${traced(index, `"$OSCTL" ${line}`)}`;
  });
  return [
    `${loopback} || exit`,
    'mkdir -p "$HOME/work" && cd "$HOME/work" || exit',
    "echo 127.0.0.1:5/a:v1 >images.txt",
    '"$OSCTL" cluster create embedded --name silent --etcd model --workers 1 >/dev/null 2>&1 || exit',
    "export OSCONFIG=$HOME/osconfig",
    ...made,
    "unset OSCONFIG",
    '"$OSCTL" cluster destroy --name silent --force >/dev/null',
  ].join("\n");
}

/** Address that a process has connected or sent to, in one line of a trace; `undefined` for this machine. */
function outside(line: string): string | undefined {
  const [, path] = /sun_path="([^"]*)"/.exec(line) ?? [];
  // The name service of this machine asks others.
  if (path?.includes("nscd")) return `name service ${path}`;
  const [, port = ""] = /sin6?_port=htons\((\d+)\)/.exec(line) ?? [];
  const [, address] = /inet_addr\("([^"]+)"\)/.exec(line) ??
    /inet_pton\(AF_INET6, "([^"]+)"/.exec(line) ?? [];
  if (address === undefined) return undefined;
  const isOwn = /^127\.|^::1$|^::ffff:127\./.test(address);
  return isOwn && port !== "53" ? undefined : `${address}:${port}`;
}

function listUnnamed(line: string, text: string): readonly string[] {
  const found = text.split("\n")
    .filter((call) => /\b(?:connect|sendto|sendmsg|sendmmsg)\(/.test(call))
    .flatMap((call) => outside(call) ?? [])
    .filter((place) => !line.includes(place.replace(/:\d+$/, "")));
  return [...new Set(found)];
}

Deno.test("a trace tells what is on this machine from what is not", () => {
  const call = (family: string) =>
    `12 connect(5, {sa_family=${family}}, 16) = 0`;
  const at = (address: string, port: number) =>
    call(`AF_INET, sin_port=htons(${port}), sin_addr=inet_addr("${address}")`);
  const far =
    'AF_INET6, sin6_port=htons(443), inet_pton(AF_INET6, "2001:db8::1", &sin6_addr)';
  const trace = [
    at("127.3.4.5", 50000),
    at("127.0.0.53", 53),
    at("10.0.0.2", 50000),
    at("192.0.2.1", 443),
    call(far),
    call('AF_UNIX, sun_path="/var/run/nscd/socket"'),
    call('AF_UNIX, sun_path="/tmp/x.sock"'),
  ].join("\n");
  assert.deepEqual(listUnnamed("memory --nodes 10.0.0.2", trace), [
    "127.0.0.53:53",
    "192.0.2.1:443",
    "2001:db8::1:443",
    "name service /var/run/nscd/socket",
  ]);
});

Deno.test({
  name: "executable connects only to what its command line names",
  ...needs(executable, "ip", namespaces.network, "strace", tracing),
  async fn() {
    const stale = [...Object.keys(lines), ...Object.keys(skipped)]
      .filter((name) => !entries.some((entry) => entry.name === name));
    assert.deepEqual(stale, []);
    await withFolder(async (home) => {
      const env = {
        HOME: home,
        TMPDIR: home,
        PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
        OSCTL: osctl,
      };
      const [path = "", ...rest] = [...alone, "sh"];
      const ran = await run([...rest, "-c", script(tried)], { env, path });
      assert.equal(ran.code, 0, ran.err);
      const wrong: string[] = [];
      let reached = 0;
      for (const [index, { name, line }] of tried.entries()) {
        const text = await Deno.readTextFile(`${home}/${index}.trace`);
        if (text.includes('inet_addr("127.')) reached++;
        for (const place of listUnnamed(line, text)) {
          wrong.push(`osctl ${name}: ${place}`);
        }
      }
      assert.deepEqual(wrong, []);
      assert.ok(reached > 0, "no command has reached the cluster");
    });
  },
});
