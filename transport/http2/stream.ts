import type { HeaderField } from "./header_table.ts";

/** Initial window of a stream, in bytes. */
export const firstWindow = 64 * 1024;

/** Maximum window of a stream, in bytes. */
const mostWindow = 2 * 1024 * 1024;

/** Reason why a stream failed. */
export type StreamFailure =
  | {
    /** The server did not process the request, so it can be sent again. */
    readonly kind: "not-sent";
  }
  | {
    readonly kind: "reset";
    readonly code: number;
  }
  | {
    /** The response is invalid or exceeds a limit. */
    readonly kind: "refused";
    readonly why: string;
  }
  | {
    readonly kind: "lost";
    readonly cause: unknown;
  };

/** Receiver of a response. No method is called after `ended` or `failed`. */
export interface StreamReceiver {
  readonly headers: (fields: readonly HeaderField[]) => void;
  /** Content, only valid during the call; to be acknowledged with {@linkcode Http2Stream.consumed}. */
  readonly data: (bytes: Uint8Array) => void;
  readonly ended: () => void;
  readonly failed: (failure: StreamFailure) => void;
}

interface StreamOwner {
  /** The stream has more to send, or is complete. */
  readonly changed: (stream: Http2Stream) => void;
  /** The receive window grew by `increment` bytes. */
  readonly credited: (stream: Http2Stream, increment: number) => void;
  readonly cancelled: (stream: Http2Stream, code: number) => void;
  /** Waits until the output queue has room. */
  readonly room: () => Promise<void>;
}

/** A stream, used by its connection and its caller. */
export class Http2Stream {
  readonly #owner: StreamOwner;
  #drained: (() => void)[] = [];
  #unread = 0;
  #uncredited = 0;
  #window = firstWindow;
  #state: "headers" | "body" | "trailers" = "headers";

  readonly fields: readonly HeaderField[];
  readonly receiver: StreamReceiver;
  /** Stream id; 0 while it is queued. */
  id = 0;
  /** Content to send, waiting for the window. */
  readonly outgoing: Uint8Array[] = [];
  /** True if no content will be added to {@linkcode outgoing}. */
  finished = false;
  /** True if END_STREAM was sent. */
  sentEnd = false;
  /** Send window in bytes. */
  sendWindow = 0;
  /** Receive window in bytes. */
  receiveWindow: number = firstWindow;
  /** True if the stream is closed. */
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

  /**
   * Sends content. `bytes`: must not be changed afterwards. Returns when there is room for more, or the
   * stream is closed.
   */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.closed) return;
    this.outgoing.push(bytes);
    this.#owner.changed(this);
    while (this.outgoing.length > 0 && !this.closed) {
      await new Promise<void>((resolve) => this.#drained.push(resolve));
    }
    await this.#owner.room();
  }

  /** Ends the request. `last`: final content. */
  end(last?: Uint8Array): void {
    if (this.closed || this.finished) return;
    if (last !== undefined) this.outgoing.push(last);
    this.finished = true;
    this.#owner.changed(this);
  }

  /**
   * Cancels the stream; its receiver is no longer called.
   *
   * @param code HTTP/2 error code for the other side.
   */
  cancel(code: number): void {
    if (!this.closed) this.#owner.cancelled(this, code);
  }

  /**
   * Acknowledges content and extends the receive window.
   *
   * The window is extended early, since a server that has to stop resumes slowly. It doubles as long as less
   * than half of it is unread.
   *
   * @param bytes Number of bytes no longer buffered.
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

  /** Resumes waiting writers. */
  wake(): void {
    const drained = this.#drained;
    this.#drained = [];
    for (const resolve of drained) resolve();
  }

  /** Receives content. Returns false if it is not allowed here. */
  takeData(bytes: Uint8Array): boolean {
    if (this.#state !== "body") return false;
    this.#unread += bytes.length;
    if (bytes.length > 0) this.receiver.data(bytes);
    return true;
  }

  /** Receives header fields or trailers. Returns whether they are invalid (RFC 9113, 8.1) or informational. */
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
