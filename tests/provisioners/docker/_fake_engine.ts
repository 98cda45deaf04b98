/** An engine that answers what a test gives, on a socket. */

import { withFolder } from "../../_folder.ts";

/** Answers by method and path without version: `GET /info`, with `filtered` behind it for requests with filters; a number is a status, a string a body as it is, a function makes a body. */
export type EngineAnswers = Readonly<Record<string, unknown>>;

/** Facts that every engine tells. */
export const usualEngine = {
  "GET /version": { Version: "27.1", ApiVersion: "1.46" },
  "GET /info": {
    NCPU: 4,
    MemTotal: 8 * 2 ** 30,
    OSType: "linux",
    CgroupVersion: "2",
  },
};

/** Runs a test with an engine. `env`: reads `DOCKER_HOST`. */
export async function withEngine(
  answers: EngineAnswers,
  test: (
    env: (name: string) => string | undefined,
    asked: readonly string[],
  ) => Promise<void>,
): Promise<void> {
  await withFolder({}, async (folder) => {
    const path = `${folder}/engine.sock`;
    const asked: string[] = [];
    const server = Deno.serve({ path, onListen() {} }, (request) => {
      const { pathname } = new URL(
        request.url.replace(/^http\+unix:/, "http:"),
      );
      const key = `${request.method} ${
        pathname.replace(
          /^.*?(?=\/(version|info|images|networks|containers|distribution))/,
          "",
        )
      }`;
      asked.push(key);
      const isFiltered = request.url.includes("filters=");
      const answer = isFiltered && `${key} filtered` in answers
        ? answers[`${key} filtered`]
        : answers[key];
      if (typeof answer === "number" || answer === undefined) {
        const status = answer ?? 404;
        return Response.json({ message: `no ${key}` }, { status });
      }
      if (typeof answer === "function") return new Response(answer());
      return typeof answer === "string"
        ? new Response(answer)
        : answer instanceof Uint8Array
        ? new Response(answer.slice())
        : Response.json(answer);
    });
    try {
      await test(
        (name) => name === "DOCKER_HOST" ? `unix://${path}` : undefined,
        asked,
      );
    } finally {
      await server.shutdown();
    }
  });
}
