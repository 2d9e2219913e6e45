/** Where a command writes. Whoever reads may leave, as `head` does: that ends no command, and least of all a run. */
import type { Writable } from 'node:stream';

interface Output {
  /** false where the reader is slower than the writer, or has left. */
  write(text: string): boolean;
  /** When everything is written: why some of it could not be. undefined also where the reader has left. */
  failure(): Promise<NodeJS.ErrnoException | undefined>;
}

export function openOutput(stream: Writable & { isTTY?: boolean }): Output {
  // For good: whoever else writes to it, such as the picture of a run, must not be ended by it either.
  if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
  let failure: NodeJS.ErrnoException | undefined;
  let written: Promise<void> = Promise.resolve();
  return {
    write(text) {
      let isKeptUp = true;
      written = new Promise((resolve) => {
        isKeptUp = stream.write(text, (error) => {
          if (error != null && !hasLeft(error, stream.isTTY === true)) failure ??= error;
          resolve();
        });
      });
      return isKeptUp;
    },
    async failure() {
      await written;
      return failure;
    },
  };
}

function ignore(): void {}

/** EOF on Windows; EIO of a terminal that was closed. */
function hasLeft({ code = '' }: NodeJS.ErrnoException, isTerminal: boolean): boolean {
  return ['EPIPE', 'EOF', 'ERR_STREAM_DESTROYED'].includes(code) || (isTerminal && code === 'EIO');
}
