/**
 * `createTerminal`: shows the progress of a run. A screen gets rows that are redrawn in place, with permanent lines above
 * them; any other stream gets plain lines from time to time. log-update draws (docs/decisions/0008-terminal.md).
 */
import { stripVTControlCharacters, styleText } from 'node:util';
import { createLogUpdate } from 'log-update';
import { oneLine, printable } from '../../migration/shared/printable.js';
import type { RunStatus } from './progress.js';
import { type ProgressRow, progressLine, progressRows } from './progress-text.js';

export interface TerminalOptions {
  stream: NodeJS.WritableStream & { columns?: number };
  /** false: plain lines. */
  isTTY: boolean;
  /** Default: on a screen, unless NO_COLOR is set. */
  color?: boolean | undefined;
}

export interface Terminal {
  show(status: RunStatus): void;
  /** Writes a permanent line above the rows. */
  line(text: string): void;
  /** Shows the last status once more; it stays on the screen. */
  end(): void;
}

export function createTerminal(options: TerminalOptions): Terminal {
  return options.isTTY ? onScreen(options) : inPlainLines(options);
}

/** Faster changes cannot be read. */
const BETWEEN_DRAWINGS_MS = 100;
const BETWEEN_RATES_MS = 1000;
/** Of the sparkline: with the text after it, the row fits into 80 columns. */
const MOST_RATES = 40;

/** Of a screen that does not know its own. */
const WIDTH = 80;

function onScreen({ stream, color = !process.env['NO_COLOR'] }: TerminalOptions): Terminal {
  // The cursor is not hidden: a run that is killed could not bring it back.
  const draw = createLogUpdate(stream, { showCursor: true, defaultWidth: WIDTH });
  let latest: RunStatus | undefined;
  let drawnAt = Number.NEGATIVE_INFINITY;
  let ratedAt = Number.NEGATIVE_INFINITY;
  let rates: number[] = [];
  const width = () => stream.columns ?? WIDTH;
  let shown: { rows: string[]; width: number } = { rows: [], width: 0 };
  const eraseIfNarrower = () => {
    if (width() >= shown.width) return;
    draw.done();
    stream.write(erased(shown.rows, width()));
    shown = { rows: [], width: width() };
  };
  const redraw = () => {
    if (latest === undefined) return;
    drawnAt = latest.elapsedMs;
    eraseIfNarrower();
    const rows = ['', ...progressRows(latest, rates).map((line) => drawn(line, width(), color))];
    // log-update overwrites the rows below one that appears or goes.
    if (rows.length !== shown.rows.length) draw.clear();
    shown = { rows, width: width() };
    draw(rows.join('\n'));
  };
  return {
    show(status) {
      latest = status;
      if (status.elapsedMs - ratedAt >= BETWEEN_RATES_MS) {
        ratedAt = status.elapsedMs;
        rates = [...rates, status.rate].slice(-MOST_RATES);
      }
      if (status.elapsedMs - drawnAt >= BETWEEN_DRAWINGS_MS) redraw();
    },
    line(text) {
      eraseIfNarrower();
      // Not by log-update's persist, which cuts a text to the height of the screen.
      draw.clear();
      stream.write(`${printable(text)}\n`);
      redraw();
    },
    end() {
      redraw();
      draw.done();
      latest = undefined;
    },
  };
}

/** Returns what erases rows that a terminal has wrapped because it became narrower: they take more lines than were drawn. */
function erased(rows: readonly string[], width: number): string {
  const lengths = rows.map((row) => stripVTControlCharacters(row).length);
  const lines = lengths.reduce((sum, length) => sum + Math.max(1, Math.ceil(length / width)), 0);
  return `\u001b[${lines}A\r\u001b[J`;
}

const BETWEEN_LINES_MS = 60_000;

/** Writes a line a minute, when the run starts or stops sending, and at the end. Does not repeat an unchanged line. */
function inPlainLines({ stream }: TerminalOptions): Terminal {
  let written: { elapsedMs: number; standstill: string | undefined; text: string } | undefined;
  let latest: RunStatus | undefined;
  const write = (status: RunStatus) => {
    const { elapsedMs, standstill } = status;
    const text = oneLine(progressLine(status));
    if (text !== written?.text) stream.write(`${text}\n`);
    written = { elapsedMs, standstill, text };
  };
  return {
    show(status) {
      latest = status;
      const { elapsedMs, standstill } = written ?? { elapsedMs: 0, standstill: undefined };
      if (status.elapsedMs - elapsedMs >= BETWEEN_LINES_MS || status.standstill !== standstill) write(status);
    },
    line(text) {
      stream.write(`${printable(text)}\n`);
    },
    end() {
      if (latest !== undefined) write(latest);
      latest = undefined;
    },
  };
}

const LABEL_WIDTH = 10;
const COLORS: Readonly<Record<string, 'red' | 'yellow'>> = { rejected: 'red', waiting: 'yellow' };

/** Cuts a row to one line: rows that wrap would move the others. */
function drawn([label, text]: ProgressRow, width: number, color: boolean): string {
  const words = oneLine(text);
  const room = Math.max(1, width - LABEL_WIDTH - 1);
  const shown = words.length > room ? `${words.slice(0, room - 1)}…` : words;
  const name = label.padEnd(LABEL_WIDTH);
  if (!color) return name + shown;
  const hue = COLORS[label];
  return paint('dim', name) + (hue === undefined ? shown : paint(hue, shown));
}

/** The caller decides about colours; Node would check standard output. */
function paint(format: 'dim' | 'red' | 'yellow', text: string): string {
  return styleText(format, text, { validateStream: false });
}
