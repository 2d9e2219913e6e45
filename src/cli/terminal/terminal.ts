/**
 * The screen of a running migration: one picture that is drawn anew in its place, and lines that stay above it. Where
 * there is no screen, plain lines now and then. log-update draws (docs/decisions/0008-terminal.md).
 */
import { styleText } from 'node:util';
import { createLogUpdate } from 'log-update';
import { printable } from '../../migration/shared/printable.js';
import { endedOf, type PictureLine, pictureOf, type RunStatus, sentenceOf } from './picture.js';

export type { RunStatus } from './picture.js';

export interface TerminalOptions {
  stream: NodeJS.WritableStream;
  /** Whether somebody watches: without it there are plain lines. */
  isTTY: boolean;
  /** Where the stream does not know it itself. Default: 80. */
  columns?: number | undefined;
  /** Default: on a screen, unless NO_COLOR is set. */
  color?: boolean | undefined;
}

export interface Terminal {
  show(status: RunStatus): void;
  /** A line that stays, above the picture. */
  line(text: string): void;
  /** Shows the last status once more, and leaves it there. */
  end(): void;
}

export function createTerminal(options: TerminalOptions): Terminal {
  return options.isTTY ? onScreen(options) : inPlainLines(options);
}

/** More often than this nobody can read. */
const BETWEEN_PICTURES_MS = 100;

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
      `\n${pictureOf(latest)
        .map((line) => drawn(line, width(), color))
        .join('\n')}`,
    );
  };
  return {
    show(status) {
      latest = status;
      if (status.elapsedMs - drawnAt >= BETWEEN_PICTURES_MS) redraw();
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
 * A line every ten seconds or every thousand records, whichever comes first, at each change of what keeps the run from
 * sending, and at the end. Never the same line twice in a row: a log of a night would hold nothing else.
 */
function inPlainLines({ stream }: TerminalOptions): Terminal {
  let said: { elapsedMs: number; ended: number; standstill: string | undefined; text: string } | undefined;
  let latest: RunStatus | undefined;
  const say = (status: RunStatus) => {
    const { elapsedMs, standstill } = status;
    const text = inOneLine(sentenceOf(status));
    if (text !== said?.text) stream.write(`${text}\n`);
    said = { elapsedMs, ended: endedOf(status), standstill, text };
  };
  return {
    show(status) {
      latest = status;
      // Records that earlier sessions ended are no progress of this one.
      const { elapsedMs, ended, standstill } = said ?? {
        elapsedMs: 0,
        ended: status.endedBefore,
        standstill: undefined,
      };
      const isDue =
        status.elapsedMs - elapsedMs >= BETWEEN_LINES_MS ||
        endedOf(status) - ended >= BETWEEN_LINES ||
        status.standstill !== standstill;
      if (isDue) say(status);
    },
    line(text) {
      stream.write(`${printable(text)}\n`);
    },
    end() {
      if (latest !== undefined) say(latest);
      latest = undefined;
    },
  };
}

const LABEL_WIDTH = 10;
const COLORS: Readonly<Record<string, 'red' | 'yellow'>> = { rejected: 'red', waiting: 'yellow' };

/** Cut to one line: a picture whose height jumps cannot be read. */
function drawn([label, text]: PictureLine, width: number, color: boolean): string {
  const words = inOneLine(text);
  const room = Math.max(1, width - LABEL_WIDTH - 1);
  const shown = words.length > room ? `${words.slice(0, room - 1)}…` : words;
  const name = label.padEnd(LABEL_WIDTH);
  if (!color) return name + shown;
  const hue = COLORS[label];
  return paint('dim', name) + (hue === undefined ? shown : paint(hue, shown));
}

/** Whether to paint was decided before, and not by Node for the stream that it thinks of. */
function paint(format: 'dim' | 'red' | 'yellow', text: string): string {
  return styleText(format, text, { validateStream: false });
}

function inOneLine(text: string): string {
  return printable(text).replaceAll('\n', ' ');
}
