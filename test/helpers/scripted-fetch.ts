/** A `fetch` in memory, for tests of exact times under fake timers. */

type Answer = { status: number; body?: unknown; headers?: Record<string, string> };
type Step = Answer | Error | 'hang';

export interface ScriptedFetch {
  (url: string, init: RequestInit): Promise<Response>;
  /** When each request came, in milliseconds since the first. */
  readonly times: number[];
  readonly requests: { url: string; headers: Record<string, string> }[];
}

/** Takes one step for each request; the last one repeats. `hang` ends only by the signal. */
export function scriptedFetch(...steps: Step[]): ScriptedFetch {
  const times: number[] = [];
  const requests: ScriptedFetch['requests'] = [];
  const send = (url: string, init: RequestInit): Promise<Response> => {
    const step = steps[requests.length] ?? steps.at(-1) ?? 'hang';
    requests.push({ url, headers: init.headers as Record<string, string> });
    times.push(Math.round(performance.now()));
    if (step instanceof Error) return Promise.reject(step);
    if (step === 'hang') {
      return new Promise((_, reject) => init.signal?.addEventListener('abort', () => reject(init.signal?.reason)));
    }
    const text = step.body === undefined ? null : JSON.stringify(step.body);
    return Promise.resolve(new Response(text, { status: step.status, headers: step.headers ?? {} }));
  };
  return Object.defineProperties(send, {
    requests: { value: requests },
    times: { get: () => times.map((time) => time - (times[0] ?? 0)) },
  }) as ScriptedFetch;
}
