/** Where a question is asked if the output of a command is redirected. */
import { expect, test } from 'vitest';
import { placeOfQuestions, type QuestionStreams } from '../../../src/cli/terminal/question.js';

const streams = (given: Partial<QuestionStreams>): QuestionStreams => ({
  ...{ stdin: true, stdout: false, stderr: false, hasPipe: () => false, opensTerminal: () => true },
  ...given,
});

test.each<[string, Partial<QuestionStreams>, ReturnType<typeof placeOfQuestions>]>([
  ['at a terminal', { stdout: true, stderr: true }, 'stderr'],
  ['with the results in a file', { stderr: true }, 'stderr'],
  ['with the messages in a file', { stdout: true }, 'stdout'],
  ['with both in a pipe, as with tee', { hasPipe: () => true }, 'tty'],
  [
    'with a pipe and without a terminal that can be opened',
    { hasPipe: () => true, opensTerminal: () => false },
    undefined,
  ],
  ['with both in files, as a job in the background', {}, undefined],
  ['without a terminal to answer at', { stdin: false, stdout: true, stderr: true, hasPipe: () => true }, undefined],
])('a question %s', (_, given, place) => {
  expect(placeOfQuestions(streams(given))).toBe(place);
});
