/** `onAbort`: calls the listeners that are still registered when the signal is aborted, and no others. */
import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { onAbort } from '../../../src/http/time/abort.js';

it('listeners that still wait are called, also later ones; ended ones are not', () => {
  const controller = new AbortController();
  const { signal } = controller;
  const heard: string[] = [];
  const wait = (who: string) => onAbort(signal, () => void heard.push(who));
  wait('first');
  const endSecond = wait('second');
  wait('third');
  endSecond();
  wait('fourth');
  const endFifth = wait('fifth');
  endFifth();

  controller.abort();

  // The fourth has the place of the second: places do not grow with the calls that there were.
  expect(heard).toEqual(['first', 'fourth', 'third']);
});

it('one that ends twice removes no other listener', () => {
  const controller = new AbortController();
  const heard: string[] = [];
  const wait = (who: string) => onAbort(controller.signal, () => void heard.push(who));
  wait('first');
  const endSecond = wait('second');
  endSecond();
  wait('third');
  endSecond();

  controller.abort();

  expect(heard).toEqual(['first', 'third']);
});

it('a listener may remove others that were not called yet: they are not called any more', () => {
  const controller = new AbortController();
  const heard: string[] = [];
  const ends: (() => void)[] = [];
  const wait = (who: string) =>
    onAbort(controller.signal, () => {
      heard.push(who);
      for (const end of ends) end();
    });
  ends.push(wait('first'), wait('second'));

  controller.abort();

  expect(heard).toEqual(['first']);
  expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
});
