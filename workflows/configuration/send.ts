/** Sends a configuration, and hides secrets in the node's replies. */

import { diffInParts } from "../../config/diff.ts";
import {
  type ConfigDocument,
  loadDocuments,
} from "../../config/documents/load.ts";
import { OsctlError, RpcError } from "../../errors.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import type {
  ApplyConfiguration,
  ApplyConfigurationRequest,
} from "../../transport/gen/machine.ts";
import { withoutQuotes } from "../../transport/connect/status_text.ts";
import { readMachineConfiguration } from "../../transport/node/machine_configuration.ts";
import { inParts } from "../../lib/timer.ts";
import { single } from "../../transport/call/reply.ts";

interface SentConfiguration
  extends Partial<Pick<ApplyConfigurationRequest, "tryModeTimeout">> {
  readonly text: string;
  /** Parsed documents; default they are parsed now. */
  readonly documents?: readonly ConfigDocument[];
  readonly mode: ApplyConfigurationRequest["mode"];
  /** Timeout for the request, in milliseconds; default that of the client. */
  readonly deadlineMs?: number;
}

/**
 * Sends a configuration. Source: `MachineService.ApplyConfiguration`.
 *
 * Nodes reply with diffs of it. Replies and errors show our own diff instead, which contains only values known to be
 * harmless.
 *
 * @throws {RpcError} If the node refuses it.
 */
export async function sendConfiguration(
  client: NodeClient,
  { text, deadlineMs, ...options }: SentConfiguration,
): Promise<ApplyConfiguration> {
  // Registers its secrets before the node replies.
  const { documents = loadDocuments(text, client.node).documents, ...rest } =
    options;
  const ownDiff = async () => {
    const live = await liveDocuments(client);
    return live && (await inParts(diffInParts(live, documents)))
      .map(({ identity, change, diff }) => `${identity} ${change}\n${diff}`)
      .join("");
  };
  try {
    const { messages } = await client.machine.applyConfiguration(
      { data: new TextEncoder().encode(text), ...rest },
      deadlineMs === undefined ? {} : { deadlineMs },
    );
    const answer = single(messages);
    return {
      ...answer,
      modeDetails: await redrawn(answer.modeDetails, ownDiff),
      warnings: await Promise.all(
        answer.warnings.map((warning) => redrawn(warning, ownDiff)),
      ),
    };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const message = await redrawn(error.message, ownDiff);
    if (message === error.message) throw error;
    const { code, hint } = error;
    // The cause contains the node's text.
    throw new RpcError(code, message, hint === undefined ? {} : { hint });
  }
}

const omitted = /(^|\n)\(redacted, \d+ characters?\)$/;

/**
 * Removes quoted configuration from the text of a node, and replaces its diff by our own.
 *
 * @param ownDiff `undefined` when it cannot be made.
 */
async function redrawn(
  text: string,
  ownDiff: () => Promise<string | undefined>,
): Promise<string> {
  const bare = withoutQuotes(text);
  if (!omitted.test(bare)) return bare;
  const diff = await ownDiff();
  return diff
    ? bare.replace(omitted, (_, before) => before + diff.trimEnd())
    : bare;
}

/** Running configuration; nothing when the node has none, or does not show it. */
async function liveDocuments(
  client: NodeClient,
): Promise<readonly ConfigDocument[] | undefined> {
  try {
    // The role may not read it, or the node is in maintenance mode.
    const text = await readMachineConfiguration(client);
    return loadDocuments(text, client.node).documents;
  } catch (error) {
    if (error instanceof OsctlError) return undefined;
    throw error;
  }
}
