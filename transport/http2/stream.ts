import type { HeaderField } from "./header_table.ts";

/** Window of a stream before its reader has shown its pace, in bytes. */
export const firstWindow = 64 * 1024;

/** Largest window of a stream, in bytes. */
const mostWindow = 2 * 1024 * 1024;

/** Why a stream ended before its answer was complete. */
export type StreamFailure =
  | {
    /** The server did not look at the request, which may be sent again. */
    readonly kind: "not-sent";
  }
  | {
    /** The server ended the stream. */
    readonly kind: "reset";
    readonly code: number;
  }
  | {
    /** The answer breaks the rules, or a limit. */
    readonly kind: "refused";
    readonly why: string;
  }
  | {
    readonly kind: "lost";
    readonly cause: unknown;
  };

/** Receiver of an answer. Nothing is called after `ended` or `failed`. */
export interface StreamReceiver {
  readonly headers: (fields: readonly HeaderField[]) => void;
  /** Content, only valid during the call; to be given back with {@linkcode Http2Stream.consumed}. */
  readonly data: (bytes: Uint8Array) => void;
  readonly ended: () => void;
  readonly failed: (failure: StreamFailure) => void;
}

interface StreamOwner {
  /** Something can be sent, or is complete. */
  readonly changed: (stream: Http2Stream) => void;
  /** The other side may send so many bytes more. */
  readonly credited: (stream: Http2Stream, increment: number) => void;
  readonly cancelled: (stream: Http2Stream, code: number) => void;
  /** Waits until the connection has room for more. */
  readonly room: () => Promise<void>;
}

/** A stream as both its connection and its user see it. */
export class Http2Stream {
  readonly #owner: StreamOwner;
  #drained: (() => void)[] = [];
  #unread = 0;
  #uncredited = 0;
  #window = firstWindow;
  #state: "headers" | "body" | "trailers" = "headers";

  /** Header fields of the request. */
  readonly fields: readonly HeaderField[];
  readonly receiver: StreamReceiver;
  /** Number; 0 while it waits for its turn. */
  id = 0;
  /** Content that waits for the window of the other side. */
  readonly outgoing: Uint8Array[] = [];
  /** True when the request is complete, apart from {@linkcode outgoing}. */
  finished = false;
  /** True when the end of the request was sent. */
  sentEnd = false;
  /** Bytes the other side allows to send. */
  sendWindow = 0;
  /** Bytes the other side may still send. */
  receiveWindow: number = firstWindow;
  /** True when nothing comes any more. */
  closed = false;

  constructor(
    owner: StreamOwner,
    fields: readonly HeaderField[],
    receiver: StreamReceiver,
  ) {
    this.#owner = owner;
    this.fields = fields;
    this.receiver = receiver;
  }

  /** Sends content. `bytes`: not changed afterwards. Returns when there is room for more, or the stream has ended. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.closed) return;
    this.outgoing.push(bytes);
    this.#owner.changed(this);
    while (this.outgoing.length > 0 && !this.closed) {
      await new Promise<void>((resolve) => this.#drained.push(resolve));
    }
    await this.#owner.room();
  }

  /** Ends the request. `last`: content to send before. */
  end(last?: Uint8Array): void {
    if (this.closed || this.finished) return;
    if (last !== undefined) this.outgoing.push(last);
    this.finished = true;
    this.#owner.changed(this);
  }

  /**
   * Ends the stream, whatever is under way; its receiver is not called any more.
   *
   * @param code Error code of HTTP/2 to tell the other side.
   */
  cancel(code: number): void {
    if (!this.closed) this.#owner.cancelled(this, code);
  }

  /**
   * Makes room for more content.
   *
   * Room is made early, since a server without any takes a while to begin again. The window doubles as long as less
   * than half of it waits to be read.
   *
   * @param bytes Content that is not kept any more.
   */
  consumed(bytes: number): void {
    this.#unread -= bytes;
    this.#uncredited += bytes;
    if (this.closed || this.#uncredited * 4 < this.#window) return;
    const keepsPace = this.#unread * 2 < this.#window;
    const more = keepsPace
      ? Math.min(this.#window, mostWindow - this.#window)
      : 0;
    const increment = this.#uncredited + more;
    this.#window += more;
    this.#uncredited = 0;
    this.receiveWindow += increment;
    this.#owner.credited(this, increment);
  }

  /** Wakes who waits to send more. */
  wake(): void {
    const drained = this.#drained;
    this.#drained = [];
    for (const resolve of drained) resolve();
  }

  /** Takes content. Returns false if there must be none here. */
  takeData(bytes: Uint8Array): boolean {
    if (this.#state !== "body") return false;
    this.#unread += bytes.length;
    if (bytes.length > 0) this.receiver.data(bytes);
    return true;
  }

  /**
   * Takes header fields or trailers. Returns whether they break the rules (RFC 9113, 8.1), or only
   * announce others.
   */
  takeHeaders(
    fields: readonly HeaderField[],
    end: boolean,
  ): "taken" | "announced" | "wrong" {
    if (this.#state === "headers") {
      const status = fields.find(([name]) => name === ":status")?.[1] ?? "";
      if (!/^[1-9]\d\d$/.test(status)) return "wrong";
      if (status.startsWith("1")) return end ? "wrong" : "announced";
      this.#state = "body";
    } else {
      if (!end || fields.some(([name]) => name.startsWith(":"))) return "wrong";
      this.#state = "trailers";
    }
    this.receiver.headers(fields);
    return "taken";
  }
}
