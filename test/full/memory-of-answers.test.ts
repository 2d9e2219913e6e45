/** Answers that take far more memory than their bytes if each chunk is kept separately, each read by a process with a heap of 256 MB. */
import { execFile } from 'node:child_process';
import { createServer, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';

const CLIENT = new URL('./memory-of-answers-process.mjs', import.meta.url).pathname;

/** Sends a list of this many bytes to each request, in chunks of this many. */
async function startService(bytes: number, chunkBytes: number): Promise<string> {
  const chunk = `${chunkBytes.toString(16)}\r\n${' '.repeat(chunkBytes)}\r\n`;
  const perWrite = Math.max(1, Math.floor(65_536 / chunk.length));
  const text = chunk.repeat(perWrite);
  const server = createServer((socket: Socket) => {
    socket.on('error', () => {});
    socket.on('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n[\r\n');
      let left = bytes;
      const more = () => {
        while (left > 0) {
          left -= perWrite * chunkBytes;
          if (!socket.write(text)) return void socket.once('drain', more);
        }
        socket.write('1\r\n]\r\n0\r\n\r\n');
      };
      more();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

it.each([
  ['18 MB in chunks of one byte', 1, 18_000_000, 1],
  ['32 answers of 0.6 MB at once, in chunks of one byte', 32, 600_000, 1],
])('%s end in their result', { timeout: 600_000 }, async (_, calls, bytes, chunkBytes) => {
  const url = await startService(bytes, chunkBytes);
  const args = ['--max-old-space-size=256', CLIENT, url, String(calls)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { results, maxRssMb } = JSON.parse(stdout);
  expect(results).toEqual(Array(calls).fill(0));
  expect(maxRssMb).toBeLessThan(500);
});
