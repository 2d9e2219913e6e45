/** `verify.mjs verify …`: the command line in a process that sends its time and peak memory at its end. Without a TypeScript loader. */

// The parent process has ended.
process.once('disconnect', () => process.exit());
const start = performance.now();
process.once('exit', () => {
  const seconds = (performance.now() - start) / 1000;
  process.send?.({ seconds, bytes: process.resourceUsage().maxRSS * 1024 });
});
await import('../../dist/cli.js');
// The channel to the parent process does not keep this one alive.
process.channel?.unref();
