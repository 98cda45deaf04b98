import { UsageError } from "../../errors.ts";
import { parseEndpoint } from "../../transport/connect/endpoint.ts";
import { rest, silently } from "../_kit/mod.ts";
import { changeContext } from "../_session/osconfig.ts";
import { parseList } from "./_list_flag.ts";

const inputs = {
  endpoint: rest("host, host:port or [IPv6]:port", { least: 1 }),
};

export const command = silently({
  summary: "Set the endpoints of a context",
  description:
    `Replaces the endpoints of the context given by --context; default the current one. Endpoints are the control planes
that osctl connects to, or a load balancer in front of them.`,
  aliases: ["config endpoints"],
  inputs,
  examples: [
    "config endpoint 10.0.0.2 10.0.0.3 10.0.0.4",
    "config endpoint api.example.org:50000 --context production",
  ],
  async work({ input, globals, environment, signal }) {
    const endpoints = parseList(input.endpoint);
    if (endpoints.length === 0) {
      throw new UsageError("Argument <endpoint> is empty", {
        hint: "Give host, host:port or [IPv6]:port",
      });
    }
    endpoints.forEach(parseEndpoint);
    await changeContext(
      { globals, environment, signal, backup: false },
      (context) => ({ ...context, endpoints }),
    );
  },
});
