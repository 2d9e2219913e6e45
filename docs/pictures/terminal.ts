/** Exports `pageOfRun`: runs a command in a terminal without a window, and returns its screen as HTML, for a screenshot. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import xterm, { type Terminal } from '@xterm/headless';

interface Typed {
  /** The command as the picture shows it. */
  shown: string;
  /** The command that the shell runs. */
  command: string;
  cwd: string;
  columns: number;
  rows: number;
  /** Returns whether the picture shows this screen; the first such screen is used. */
  isMoment: (text: string) => boolean;
}

/** Resolves with the page when the command has ended, with any exit code. Rejects if no screen was the one to show. */
export async function pageOfRun({ shown, command, cwd, columns, rows, isMoment }: Typed): Promise<string> {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  const write = (data: string | Uint8Array) => new Promise<void>((resolve) => terminal.write(data, resolve));
  await write(`\u001b[32m$\u001b[39m ${shown}\r\n`);
  let page: string | undefined;
  // util-linux gives a terminal to a command whose output is read by a program.
  const child = spawn('script', ['-qefc', `stty cols ${columns} rows ${rows}; ${command}`, '/dev/null'], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  for await (const chunk of child.stdout) {
    await write(chunk);
    if (page === undefined && isMoment(textOf(terminal))) page = pageOf(terminal);
  }
  await ended;
  if (page === undefined)
    throw new Error(`isMoment returned false for every screen. The last screen:\n${textOf(terminal)}`);
  return page;
}

function textOf(terminal: Terminal): string {
  return linesOf(terminal)
    .map((y) => terminal.buffer.active.getLine(y)?.translateToString(true) ?? '')
    .join('\n');
}

function linesOf({ buffer }: Terminal): number[] {
  return Array.from({ length: buffer.active.length }, (_, y) => y);
}

/** The colours that the runner uses, by their number among the sixteen of a terminal. */
const COLOR_CLASSES: Readonly<Record<number, string>> = { 1: 'red', 2: 'green', 3: 'yellow' };

function pageOf(terminal: Terminal): string {
  const lines = linesOf(terminal).map((y) => lineOf(terminal, y));
  while (lines.at(-1) === '') lines.pop();
  return `<!doctype html><meta charset="utf-8"><title>Terminal</title><style>${STYLE}</style>
<figure><header><i></i><i></i><i></i></header><pre style="width: ${terminal.cols}ch">${lines.join('\n')}</pre></figure>`;
}

function lineOf(terminal: Terminal, y: number): string {
  const line = terminal.buffer.active.getLine(y);
  let html = '';
  let open = '';
  for (let x = 0; x < terminal.cols; x++) {
    const cell = line?.getCell(x);
    const kind = cell?.isDim() ? 'dim' : (cell?.isFgPalette() && COLOR_CLASSES[cell.getFgColor()]) || '';
    if (kind !== open) {
      html += `${open === '' ? '' : '</span>'}${kind === '' ? '' : `<span class="${kind}">`}`;
      open = kind;
    }
    html += escaped(cell?.getChars() || ' ');
  }
  return `${html.trimEnd()}${open === '' ? '' : '</span>'}`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

const STYLE = `
  :root { --back: #fbfbfa; --bar: #e9e9e7; --text: #1f2528; --dim: #6b7379; --red: #b3261e; --green: #1a7f37; --yellow: #8a6100; --dot: #c9c9c6; }
  @media (prefers-color-scheme: dark) {
    :root { --back: #16191b; --bar: #24292c; --text: #e4e7e8; --dim: #8b949a; --red: #ff8a80; --green: #6fdd8b; --yellow: #e8c268; --dot: #454c50; }
  }
  body { margin: 0; background: var(--back); }
  figure { margin: 0; display: inline-block; background: var(--back); color: var(--text); }
  header { background: var(--bar); padding: 9px 12px; display: flex; gap: 7px; }
  i { width: 11px; height: 11px; border-radius: 50%; background: var(--dot); }
  pre { margin: 0; padding: 14px 18px 18px; font: 13px/1.5 'DejaVu Sans Mono', 'Liberation Mono', monospace; }
  .dim { color: var(--dim); } .red { color: var(--red); } .green { color: var(--green); } .yellow { color: var(--yellow); }
`;
