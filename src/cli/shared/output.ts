/** `openOutput`: writes to a stream. A reader that closes it, as `head` does, does not end the command. */
import type { Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';

export function openOutput(stream: Writable & { isTTY?: boolean }) {
  // Never removed: other writers, such as the progress of a run, must not fail either.
  if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
  let failure: NodeJS.ErrnoException | undefined;
  return {
    /** Returns false if the reader is slower than the writer, or has closed the stream. */
    write: (text: string): boolean =>
      stream.write(text, (error) => {
        if (error != null && !hasLeft(error, stream.isTTY === true)) failure ??= error;
      }),
    /** Why some text could not be written; undefined also if the reader has closed the stream. */
    async failure(): Promise<NodeJS.ErrnoException | undefined> {
      // A full disk concerns files: these are written synchronously and report errors in the same turn.
      await turn();
      return failure;
    },
  };
}

function ignore(): void {}

/** Whether the reader has closed the stream: EOF on Windows, EIO for a closed terminal. */
function hasLeft({ code = '' }: NodeJS.ErrnoException, isTerminal: boolean): boolean {
  return ['EPIPE', 'EOF', 'ERR_STREAM_DESTROYED'].includes(code) || (isTerminal && code === 'EIO');
}
