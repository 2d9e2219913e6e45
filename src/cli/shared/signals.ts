/** `openSignals`: the signals that end a command, for the listeners of a program. */
import type { EndingSignal } from './command-context.js';

const SIGNALS: readonly EndingSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

export function openSignals() {
  const listeners = new Set<(signal: EndingSignal) => void>();
  const heard = new Set<EndingSignal>();
  let isHungUp = false;
  const dispatch = (signal: EndingSignal) => {
    if (signal === 'SIGHUP' && isHungUp) return;
    isHungUp ||= signal === 'SIGHUP';
    for (const listener of listeners) listener(signal);
  };
  const listen = () => {
    for (const signal of SIGNALS) {
      const isNeeded = listeners.size > 0 || (isHungUp && signal === 'SIGHUP');
      // Never off and on again: a signal between the two would end the process.
      if (isNeeded === heard.has(signal)) continue;
      if (isNeeded) process.on(signal, dispatch);
      else process.off(signal, dispatch);
      heard[isNeeded ? 'add' : 'delete'](signal);
    }
  };
  return {
    onSignal(listener: (signal: EndingSignal) => void) {
      listeners.add(listener);
      listen();
      return () => {
        listeners.delete(listener);
        listen();
      };
    },
    /**
     * Call it when the terminal is known to be closed. A closed terminal sends SIGHUP more than once: listeners get the first, and until
     * `close` no other ends the process, so that it drains, stores its state and delivers the last notification.
     */
    hangUp() {
      isHungUp = true;
      listen();
    },
    close() {
      isHungUp = false;
      listen();
    },
  };
}
