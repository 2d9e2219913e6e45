/**
 * `createTerminal`: shows the progress of a run. A screen gets rows that are redrawn in place, with permanent lines above
 * them; any other stream gets plain lines from time to time. log-update draws (docs/decisions/0008-terminal.md).
 */
import { styleText } from 'node:util';
import { createLogUpdate } from 'log-update';
import { oneLine, printable } from '../../migration/shared/printable.js';
import { type ProgressRow, progressLine, progressRows, type RunStatus } from './progress-text.js';
import { doneOf } from './time-left.js';

export type { RunStatus } from './progress-text.js';

export interface TerminalOptions {
  stream: NodeJS.WritableStream;
  /** false: plain lines. */
  isTTY: boolean;
  /** If the stream does not know its width. Default: 80. */
  columns?: number | undefined;
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

function onScreen({ stream, columns = 80, color = !process.env['NO_COLOR'] }: TerminalOptions): Terminal {
  // The cursor is not hidden: a run that is killed could not bring it back.
  const draw = createLogUpdate(stream, { showCursor: true, defaultWidth: columns });
  let latest: RunStatus | undefined;
  let drawnAt = Number.NEGATIVE_INFINITY;
  const width = () => ('columns' in stream && typeof stream.columns === 'number' ? stream.columns : columns);
  const redraw = () => {
    if (latest === undefined) return;
    drawnAt = latest.elapsedMs;
    draw(
      `\n${progressRows(latest)
        .map((line) => drawn(line, width(), color))
        .join('\n')}`,
    );
  };
  return {
    show(status) {
      latest = status;
      if (status.elapsedMs - drawnAt >= BETWEEN_DRAWINGS_MS) redraw();
    },
    line(text) {
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

const BETWEEN_LINES_MS = 10_000;
const BETWEEN_LINES = 1000;

/**
 * Writes a line every ten seconds or every thousand records, whichever comes first, when the run starts or stops sending, and
 * at the end. Does not repeat an unchanged line.
 */
function inPlainLines({ stream }: TerminalOptions): Terminal {
  let written: { elapsedMs: number; ended: number; standstill: string | undefined; text: string } | undefined;
  let latest: RunStatus | undefined;
  const write = (status: RunStatus) => {
    const { elapsedMs, standstill } = status;
    const text = oneLine(progressLine(status));
    if (text !== written?.text) stream.write(`${text}\n`);
    written = { elapsedMs, ended: doneOf(status), standstill, text };
  };
  return {
    show(status) {
      latest = status;
      // Records of earlier sessions are no progress of this session.
      const { elapsedMs, ended, standstill } = written ?? {
        elapsedMs: 0,
        ended: status.endedBefore,
        standstill: undefined,
      };
      const isDue =
        status.elapsedMs - elapsedMs >= BETWEEN_LINES_MS ||
        doneOf(status) - ended >= BETWEEN_LINES ||
        status.standstill !== standstill;
      if (isDue) write(status);
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
