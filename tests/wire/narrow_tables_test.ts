import assert from "node:assert/strict";
import { entries } from "../../commands/_index.ts";
import { readCommands } from "../../tools/conformance/read_commands.ts";
import { withWire } from "../_wire.ts";

/** Command lines beside those that are tried on a real cluster. */
const more = ["get links", "list -l /etc", "stats -k"];

/** Those that print no table. */
const texts = ["dmesg", "events", "kubeconfig", "logs", "netstat"];

/** Columns that a terminal of 80 columns has no room for, by command line: details, and what others repeat. */
const expected: Readonly<Record<string, string>> = {
  "airgap images": "DIGEST",
  "cgroups --preset memory":
    "MemPeak MemLow Peak/Low MemHigh MemMin Current/Min MemMax",
  "containers --kubernetes": "NAMESPACE IMAGE PID",
  disks: "MODEL SERIAL UUID WWID MODALIAS NAME BUS_PATH SUBSYSTEM",
  "etcd members": "CLIENT URLS",
  "etcd status":
    "IN USE LEADER RAFT INDEX RAFT TERM RAFT APPLIED INDEX LEARNER PROTOCOL STORAGE ERRORS",
  "get members": "NODE NAMESPACE TYPE VERSION HOSTNAME API PORT NODE ID",
  "image list": "DIGEST LABELS CREATED",
  mounts: "FILESYSTEM",
  processes: "THREADS VIRTMEM LABEL",
  time: "NTP-SERVER",
  "upgrade plan --to v1.12.11": "IMAGE",
  "get links": "NAMESPACE TYPE VERSION KIND LINK STATE MTU DRIVER PRODUCT",
  "list -l /etc": "LABEL",
  "stats -k": "NAMESPACE",
};

Deno.test("tables leave out only what is listed here on a terminal of 80 columns", () =>
  withWire({ workers: 1 }, async ({ osctl, names }) => {
    const [control = ""] = names;
    const read = (await readCommands(entries)).filter(({ name, rows }) =>
      rows && !texts.includes(name)
    );
    const lines = [
      ...read.map(({ line, asks }) => ({
        line,
        nodes: asks === "all" ? "" : `-n ${control}`,
      })),
      ...more.map((line) => ({ line, nodes: "" })),
    ];
    const left: Record<string, string> = {};
    for (const { line, nodes } of lines) {
      const words = `${line} ${nodes} --no-pager --color never`;
      const shown = await osctl(words, { columns: 80 });
      if (!/^Hidden columns: .*; see -o wide$/m.test(shown.err)) continue;
      const whole = await osctl(`${words} -o wide`, { columns: 80 });
      const [all, kept] = [whole, shown].map(({ out }) =>
        (out.split("\n")[0] ?? "").split(/ {2,}/)
      );
      left[line] = all?.filter((one) => !kept?.includes(one)).join(" ") ?? "";
    }
    assert.deepEqual(left, expected);
  }));
