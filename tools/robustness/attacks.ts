/** Attacks on osctl, nodes and the network during an errand. */

import { RpcError } from "../../errors.ts";
import { reboot, shutDown } from "../../simulator/boot/power.ts";
import { resetNode } from "../../simulator/boot/reset.ts";
import { setFault } from "../../simulator/faults/set_fault.ts";
import type { SimulatedNode } from "../../simulator/state/node.ts";
import { pause } from "../../lib/pause.ts";
import { damage, spoil } from "./damage.ts";
import type { Errand } from "./errands.ts";
import type { HeardCall, Lab, LabProcess, LabProcessOptions } from "./lab.ts";
import type { ProcessEnd } from "./history.ts";
import { cacheFromHostile } from "./registry.ts";
import { copyFolder, fakeTime, hasFakeTime } from "./osctl_process.ts";

/** An errand in a lab. */
export interface Run {
  readonly lab: Lab;
  readonly errand: Errand;
  readonly words: readonly string[];
}

/** One kind of attack. */
export interface Attack {
  readonly name: string;
  /** Description for the page. */
  readonly does: string;
  /** Errands it supports; default all. */
  readonly with?: (errand: Errand) => boolean;
  readonly play: (run: Run) => Promise<void>;
}

/** Attacks, in the order of the page. */
export const attacks: readonly Attack[] = [
  {
    name: "kill",
    does: "osctl is killed at a call or between two, up to twice, and resumed",
    async play(run) {
      for (let left = 1 + run.lab.random(2); left > 0; left--) {
        if ((await runKilled(run)).status !== -1) return;
      }
      await finish(run);
    },
  },
  {
    name: "freeze",
    does:
      "osctl is suspended for longer than its lock lasts; meanwhile another machine continues from a copy",
    async play(run) {
      const { lab, errand } = run;
      const one = await proceed(run, machine("a"));
      const frozen = lab.at(moment(run), () => one.kill("SIGSTOP"));
      await Promise.race([frozen, one.ended]);
      await pause(4_000);
      if (errand.approve !== undefined && await copy(lab, "b")) {
        await finish(run, machine("b"));
      }
      one.kill("SIGCONT");
      const { status } = await one.ended;
      if (status !== 0) await finish(run, machine("a"));
    },
  },
  {
    name: "machines",
    does:
      "the run of a process that was killed is resumed on three machines at once",
    with: isRun,
    async play(run) {
      const { lab } = run;
      if ((await runKilled(run, machine("a"))).status !== -1) return;
      await Promise.all([copy(lab, "b"), copy(lab, "c")]);
      await Promise.all(
        ["a", "b", "c"].map((name) => finish(run, machine(name))),
      );
    },
  },
  {
    name: "lost",
    does: "the connection breaks before or after the node has executed a call",
    async play(run) {
      const { lab, errand } = run;
      lab.hopes.mayDoubt = true;
      const kind = (["reply-lost", "request-lost"] as const)[lab.random(2)];
      if (kind === undefined) return;
      const options = { method: errand.call, calls: 1 };
      for (const node of lab.cluster.nodes) {
        await setFault(node, kind, options);
      }
      if ((await finish(run)).status !== 0) await finish(run);
    },
  },
  {
    name: "late",
    does:
      "every connection breaks at a call, which the node executes up to 20 seconds later",
    with: ({ name }) => Object.hasOwn(late, name),
    async play(run) {
      const { lab, errand } = run;
      lab.hopes.mayDoubt = true;
      const arrives = Promise.withResolvers<void>();
      const heard = lab.at(isMain(errand), ({ node }) => {
        for (const one of lab.cluster.nodes) one.network.disconnect();
        if (node === undefined) return;
        pause(12_000 + lab.random(8_000)).then(() => {
          node.work(late[errand.name]?.(node) ?? Promise.resolve());
          arrives.resolve();
        });
        throw new RpcError("UNAVAILABLE", "error reading from server: EOF");
      });
      const one = await finish(run);
      if (one.status !== 0) await finish(run);
      await Promise.race([heard.then(() => arrives.promise), pause(1_000)]);
    },
  },
  {
    name: "cut",
    does: "an endpoint, or its way to a node, is cut for some seconds",
    async play(run) {
      const { lab } = run;
      const [first, ...others] = lab.cluster.nodes;
      const node = others[lab.random(others.length)] ?? first;
      const kind = (["unavailable", "blackhole", "no-route"] as const)[
        lab.random(3)
      ];
      if (first === undefined || node === undefined || !kind) return;
      const target = kind === "no-route" ? node : first;
      const one = await proceed(run);
      const isCut = lab.at(moment(run), () => void setFault(target, kind));
      await Promise.race([isCut, one.ended]);
      await pause(2_000 + lab.random(6_000));
      await setFault(target, kind, false);
      if ((await one.ended).status !== 0) await finish(run);
    },
  },
  {
    name: "clock",
    does: "the clock of the machine jumps by an hour, and back",
    with: ({ isSpecial }) => !isSpecial && hasFakeTime(),
    async play(run) {
      const { lab } = run;
      const file = `${lab.folder()}.clock`;
      await Deno.writeTextFile(file, "+0");
      const one = await proceed(run, { env: fakeTime(file) });
      const hours = ["+3600", "-3600"][lab.random(2)] ?? "";
      const jump = lab.at(
        moment(run),
        () => Deno.writeTextFileSync(file, hours),
      );
      await Promise.race([jump, one.ended]);
      await pause(1_000 + lab.random(3_000));
      await Deno.writeTextFile(file, "+0");
      if ((await one.ended).status !== 0) await finish(run);
    },
  },
  {
    name: "damage",
    does:
      "a file of a killed process is cut, removed, or has another byte or version, and it is resumed",
    async play(run) {
      if ((await runKilled(run)).status !== -1) return;
      Object.assign(run.lab.hopes, { mustFinish: false, mayDoubt: true });
      const { lab } = run;
      // An operator whose request left no record makes it again.
      if (await damage(lab)) lab.wishes.push(...lab.wishes);
      await finish(run);
    },
  },
  {
    name: "disk",
    does: "files can only be written up to some size, as on a full disk",
    async play(run) {
      const blocks = 1 + run.lab.random(40);
      const limit = `trap '' XFSZ; ulimit -f ${blocks}; exec "$@"`;
      const wrapper = ["sh", "-c", limit, "sh"];
      const one = await finish(run, { wrapper });
      if (one.status !== 0) await finish(run);
    },
  },
  {
    name: "node",
    does:
      "a node refuses, breaks off, sends garbage, does not return, boots the old system, or quotes secrets",
    async play(run) {
      const { lab, errand } = run;
      lab.hopes.mustFinish = false;
      await finish(run, { longestMs: await spoil(lab, errand.call) });
    },
  },
  {
    name: "other",
    does: "another user reboots the node at the same time",
    async play(run) {
      const { lab, errand } = run;
      lab.hopes.mustFinish = false;
      const fits = lab.random(2) === 0 ? isMain(errand) : moment(run);
      lab.at((call) => call.node !== undefined && fits(call), ({ node }) => {
        if (node === undefined) return;
        lab.announce(node, "foreign-boot");
        lab.announce(node, "attack");
        node.work(reboot(node));
      });
      await finish(run, { longestMs: 100_000 });
    },
  },
  {
    name: "registry",
    does:
      "a registry lies, nests indexes without end, sends too much, takes no login, or wants it without TLS",
    with: ({ name }) => name === "image cache",
    async play({ lab }) {
      lab.hopes.mustFinish = false;
      await cacheFromHostile(lab);
    },
  },
  {
    name: "recovered",
    does:
      "the members of etcd that were lost come back while a recovery waits for an approval",
    with: ({ name }) => name === "etcd-recovery",
    async play(run) {
      const { lab, words } = run;
      lab.hopes.mustFinish = false;
      await lab.start(0, [...words, "--yes"]).ended;
      for (const node of lab.cluster.nodes.slice(1)) {
        await setFault(node, "etcd-stopped", false);
      }
      await finish(run);
    },
  },
];

/** Late effects of a node, by errand. */
const late: Readonly<Record<string, (node: SimulatedNode) => Promise<void>>> = {
  reboot: (node) => reboot(node),
  "restart-nodes": (node) => reboot(node),
  shutdown: (node) => shutDown(node, { takesOver: true }),
  reset: (node) =>
    resetNode(node, {
      ...{ graceful: true, reboots: false, system: "all", userDisks: [] },
    }),
};

function isRun({ approve }: Errand): boolean {
  return approve !== undefined;
}

/** Matches the main call. */
function isMain({ call }: Errand): (heard: HeardCall) => boolean {
  return ({ method, changes }) => changes && method === call;
}

/** A separate machine, with its own host name if permitted. */
function machine(name: string): LabProcessOptions {
  const host = 'hostname "$0" && exec "$@"';
  const wrapper = Deno.uid() === 0
    ? ["unshare", "-u", "sh", "-c", host, `machine-${name}`]
    : [];
  return { machine: name, wrapper };
}

/** Copies the files of the first machine. Returns false if there are none. */
async function copy(lab: Lab, to: string): Promise<boolean> {
  if (!await hasRun(`${lab.folder()}/runs`)) return false;
  await copyFolder(lab.folder(), lab.folder(to));
  return true;
}

/** Starts the errand, or resumes it. */
async function proceed(
  { lab, errand, words }: Run,
  options: LabProcessOptions = {},
): Promise<LabProcess> {
  const home = lab.folder(options.machine);
  if (errand.approve !== undefined) {
    const isBegun = await hasRun(`${home}/runs`);
    const line = isBegun ? ["runbook", "resume", "last"] : words;
    return lab.start(0, [...line, ...errand.approve], options);
  }
  const list = ["operation", "list", "--output", "jsonl"];
  const { out } = await lab.start(-1, list, options).ended;
  const resume = out === "" ? words : [
    ...["operation", "resume", JSON.parse(out).id],
    ...["--timeout", "100s", "--output", "jsonl"],
  ];
  return lab.start(0, resume, options);
}

/** Finishes the errand, as an operator who tries again when nodes or Kubernetes did not answer, or after a safe stop. */
async function finish(
  run: Run,
  options: LabProcessOptions = {},
): Promise<ProcessEnd> {
  for (let left = 3;; left--) {
    const one = await proceed(run, options);
    const end = await one.ended;
    const isAway = end.status === 75 ||
      /^error: None of \d+ endpoints answers|\(lease-lost\)/m.test(
        end.err + end.out,
      );
    if (!isAway || left === 0) return end;
    await pause(3_000);
  }
}

/** Reports whether a run has written a journal. */
async function hasRun(folder: string): Promise<boolean> {
  try {
    for await (const { name } of Deno.readDir(folder)) {
      const { size } = await Deno.stat(`${folder}/${name}/journal.jsonl`);
      if (size > 0) return true;
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return false;
}

/** A moment chosen by the seed: the main call, the next one, or any. */
function moment({ lab, errand }: Run): (call: HeardCall) => boolean {
  const kind = lab.random(4);
  let left = 1 + lab.random(60);
  let isPast = false;
  return ({ method, changes }) => {
    if (kind === 0) return method === errand.call && changes;
    if (kind === 1) {
      const is = isPast;
      isPast ||= method === errand.call && changes;
      return is;
    }
    if (kind === 2) return changes && --left % 5 === 0;
    return --left === 0;
  };
}

/** Starts or resumes the errand, and kills it at a moment. */
async function runKilled(
  run: Run,
  options: LabProcessOptions = {},
): Promise<ProcessEnd> {
  const one = await proceed(run, options);
  run.lab.at(moment(run), () => one.kill("SIGKILL"));
  return await one.ended;
}
