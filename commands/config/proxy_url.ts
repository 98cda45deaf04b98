import { checkProxyUrl } from "../../transport/connect/proxy.ts";
import { type Command, lines, optionalWord, type Values } from "../_kit/mod.ts";
import { changeContext, chosenContext } from "../_session/osconfig.ts";

const inputs = {
  url: optionalWord(
    'URL of the proxy, "direct" for none, or "" to use HTTPS_PROXY',
  ),
};

interface ProxyRow {
  /** URL as written; empty if the context has none. */
  readonly proxyUrl: string;
}

export const command = {
  summary: "Show or set the proxy of a context",
  description:
    `Shows the proxy of the context given by --context; default the current one; its password is masked. With an argument, sets it: a URL
with the scheme http, https or socks5, or "direct", which ignores HTTPS_PROXY.`,
  inputs,
  examples: [
    "config proxy-url",
    "config proxy-url socks5://localhost:1080",
    "config proxy-url direct --context lab",
  ],
  view: lines(({ proxyUrl }) => proxyUrl),
  async *run({ input, globals, environment, signal }) {
    const { url } = input;
    if (url === undefined) {
      const { proxyUrl = "" } = await chosenContext({ globals, environment });
      yield { proxyUrl };
      return;
    }
    const proxyUrl = url.trim();
    if (proxyUrl !== "") checkProxyUrl(proxyUrl);
    await changeContext(
      { globals, environment, signal, backup: false },
      (context) => ({ ...context, proxyUrl: proxyUrl || undefined }),
    );
  },
} satisfies Command<ProxyRow, Values<typeof inputs>>;
