import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { pullImage } from "../../../simulator/node/images.ts";
import { debug } from "../../../simulator/services/debug.ts";
import {
  ContainerdNamespace as Namespace,
  ContainerDriver as Driver,
} from "../../../transport/gen/common.ts";
import {
  type DebugContainerRunRequest,
  DebugContainerRunRequestSpec_Profile as Profile,
} from "../../../transport/gen/machine_debug.ts";
import { withCluster } from "../../_cluster.ts";

type Asked = NonNullable<DebugContainerRunRequest["request"]>;

const containerd = {
  driver: Driver.CONTAINERD,
  namespace: Namespace.NS_SYSTEM,
};

function containerSpec(
  args: readonly string[],
  profile: Profile = Profile.PROFILE_PRIVILEGED,
) {
  const imageName = "docker.io/library/alpine:3";
  const value = { containerd, imageName, args: [...args], env: {}, profile };
  return { $case: "spec", value: { ...value, tty: false } } satisfies Asked;
}

function typeText(text: string): Asked {
  return { $case: "stdinData", value: new TextEncoder().encode(text) };
}

Deno.test("ContainerRun runs a command or a shell of an image that is there, and gives its status", async () => {
  const options = { release: { tag: "v1.13.2" } };
  await withCluster(options, async ({ nodes: [node] }) => {
    const signal = new AbortController().signal;
    async function ran(...asked: readonly Asked[]) {
      const requests = ReadableStream.from(
        asked.map((request) => ({ request })),
      );
      const call = { node: node!, roles: new Set(["os:admin"]), signal };
      let out = "";
      for await (const { resp } of debug.containerRun!(requests, call)) {
        out += resp?.$case === "stdoutData"
          ? new TextDecoder().decode(resp.value as Uint8Array)
          : `(${resp?.value})`;
      }
      return out;
    }
    await assert.rejects(
      ran(containerSpec([])),
      new RpcError(
        "NOT_FOUND",
        'image docker.io/library/alpine:3 not found: image "docker.io/library/alpine:3": not found',
      ),
    );
    await pullImage(node!, "system/system", "alpine:3", "Pull");
    for (
      const [asked, out] of [
        [[containerSpec(["echo", "a", "b"])], "a b\n(0)"],
        [[containerSpec(["false"])], "(1)"],
        [[containerSpec(["sh", "-c", "echo  x"])], "x\n(0)"],
        [[containerSpec(["cat"]), typeText("a"), typeText("b\n")], "ab\n(0)"],
        [
          [containerSpec([]), typeText("ec"), typeText("ho a\n\nnone\n")],
          "a\nsh: none: not found\n(127)",
        ],
        [[containerSpec(["sh"]), typeText("false\nexit\necho a\n")], "(1)"],
        [[containerSpec([]), typeText("exit 3\n")], "(3)"],
        [[containerSpec(["cat"]), { $case: "signal", value: 15 }], "(143)"],
      ] satisfies readonly (readonly [readonly Asked[], string])[]
    ) assert.equal(await ran(...asked), out);

    for (
      const [asked, message] of [
        [typeText("x"), "expected debug container spec"],
        [
          containerSpec([], Profile.PROFILE_HOST_NS),
          "unsupported debug container profile: PROFILE_HOST_NS",
        ],
        [
          containerSpec(["vi"]),
          'exec: "vi": executable file not found in $PATH',
        ],
      ] as const
    ) {
      await assert.rejects(
        ran(asked),
        (error) => error instanceof RpcError && error.message.endsWith(message),
      );
    }
  });
});
