// @ts-check
/** Exports the form for a new fault rule, which presets fill. */
import { el, find, valuesOf } from '../shared/dom.js';

/** Values of the fields for each preset. @type {Record<string, Record<string, string>>} */
const PRESETS = {
  'your own': {},
  'intermittent 500, one in ten': {
    when: 'probability',
    when_value: '0.1',
    effect: 'status',
    status: '500',
    body: '{"detail": "Unexpected error.", "code": "error"}',
  },
  '503 for the next 5 calls': { effect: 'status', status: '503', times: '5' },
  '502 with HTML from a gateway': { effect: 'status', status: '502', body: '<html><body>Bad gateway</body></html>' },
  '429 with Retry-After 2': {
    effect: 'status',
    status: '429',
    retry_after: '2',
    times: '5',
    body: '{"detail": "Too many requests.", "code": "throttled"}',
  },
  'token refused once': {
    effect: 'status',
    status: '401',
    when: 'first',
    body: '{"detail": "The token is invalid.", "code": "authentication_failed"}',
  },
  'slow: 2 s before each call': { effect: 'latency', latency: '2000' },
  'connection closed, nothing done': { effect: 'drop', when: 'first' },
  'done, but the answer is lost': {
    effect: 'drop',
    phase: 'afterCommit',
    operation: 'accounts.process',
    when: 'first',
  },
  'answer cut half way': { effect: 'malformed', phase: 'afterCommit', when: 'first' },
};

/**
 * @param {HTMLFormElement} form
 * @param {(rule: unknown) => Promise<boolean>} add
 */
export function createFaultForm(form, add) {
  const field = (/** @type {string} */ name) =>
    /** @type {HTMLInputElement | HTMLSelectElement} */ (find(`[name=${name}]`, form));
  const preset = field('preset');
  preset.append(...Object.keys(PRESETS).map((name) => el('option', {}, name)));

  /** Hides fields that the current choice does not use. */
  function fitFields() {
    const chosen = [field('when').value, field('effect').value];
    for (const label of form.querySelectorAll('[data-for]')) {
      const uses = label.getAttribute('data-for')?.split(' ') ?? [];
      /** @type {HTMLElement} */ (label).hidden = !uses.some((use) => chosen.includes(use));
    }
  }
  preset.addEventListener('change', () => {
    const name = preset.value;
    form.reset();
    preset.value = name;
    for (const [key, value] of Object.entries(PRESETS[name] ?? {})) field(key).value = value;
    fitFields();
  });
  form.addEventListener('change', fitFields);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (await add(ruleOf(valuesOf(form)))) {
      form.reset();
      fitFields();
    }
  });
  fitFields();
}

/**
 * Returns the rule. Invalid numbers are sent unchanged: the server reports them.
 * @param {Record<string, string>} values
 */
function ruleOf({ id, operation, supplier, account, when = 'every', when_value, phase, times, ...effect }) {
  const match = { ...(operation && { operation }), ...(supplier && { supplier }), ...(account && { account }) };
  const amount = numberIn(when_value);
  return {
    ...(id && { id }),
    ...(Object.keys(match).length > 0 && { match }),
    when: { nth: { nth: amount }, 'every-nth': { every: amount }, probability: { probability: amount } }[when] ?? when,
    effect: effectOf(effect),
    phase,
    ...(times && { times: numberIn(times) }),
  };
}

/** @param {Record<string, string>} values */
function effectOf({ effect, status, body, retry_after, latency }) {
  if (effect === 'latency') return { latencyMs: numberIn(latency) };
  if (effect !== 'status') return effect;
  return {
    status: numberIn(status),
    ...(body && { body: jsonIn(body) }),
    ...(retry_after && { headers: { 'Retry-After': retry_after } }),
  };
}

/** @param {string | undefined} text */
function numberIn(text) {
  return text === undefined || text.trim() === '' || Number.isNaN(Number(text)) ? (text ?? null) : Number(text);
}

/** Returns the parsed JSON, or the text itself, like the page of a gateway. @param {string} text */
function jsonIn(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
