/** Authentication of callers, and events that the service sends. */
import type { Chapter } from '../chapter.js';

export const authenticationAndEvents: readonly Chapter[] = [
  {
    title: 'Authentication',
    rows: [
      {
        id: 'D218',
        says: 'A token is obtained through the platform’s GraphQL interface using a token-obtaining mutation, authenticated with the organisation API key (<API_KEY>) that the platform operator issues.',
        checks: ['C6'],
        tests: [
          'C6 a valid API key gives a token that the REST side accepts',
          'C6 %s is answered with a GraphQL error and no token',
          'C6 a token from the GraphQL call is accepted by the REST side; a wrong API key gives none',
        ],
      },
      {
        id: 'D219',
        says: 'The mutation name, arguments and the GraphQL address: not shown.',
        checks: ['C6', 'U27'],
        tests: ['C6 address, mutation and variable are settings (U27)'],
      },
      {
        id: 'D220',
        says: 'Each data-import request carries the header Authorization with the token.',
        checks: ['C2'],
        tests: [
          'every call > %s: headers',
          'C2 %s %s without a token is 401 (U2)',
          'C2 asks for the Authorization header everywhere',
        ],
      },
      {
        id: 'D221',
        says: 'The documented command-line form sends the value as the word Token followed by a space and <ACCESS_TOKEN>.',
        checks: ['C2', 'U2'],
        tests: [
          'authorization (C2, U2) > %j sends "%s"',
          'C2 the header %j is 401: the word Token, a space, the token (U2)',
          'U2 with %s the token after Token, after Bearer and without a word is answered with %j',
        ],
      },
      {
        id: 'D222',
        says: 'The API key is secret and must not be shared.',
        checks: ['C6'],
        tests: [
          'C6 neither API key nor token is shown, personal data or not: %s',
          'tokens > %s: the error shows none of it; its cause can be asked for',
        ],
      },
      {
        id: 'D223',
        says: 'A missing or invalid token yields 401 (stated for the business payment instruction endpoint; other endpoints’ behaviour follows the same rule only where stated).',
        checks: ['C2', 'U2'],
        tests: [
          'C2 %s %s without a token is 401 (U2)',
          'C2 %s %s with an invalid token is 401 (U2)',
          'U2 with %s a list and a business payment instruction without a token are %j',
          'C2 %s: a second 401, with the renewed token, is an AuthenticationError',
        ],
      },
      {
        id: 'D224',
        says: 'Token lifetime …',
        checks: ['C6', 'U27'],
        tests: [
          'C6 with a lifetime the token ends by the clock of the sandbox (U27)',
          'C2 401 once with ten calls in flight gives exactly one refresh, and every call succeeds',
        ],
      },
    ],
    notChecked: [
      {
        says: '… and permission scopes: not shown.',
        why: 'neither the document nor the register has anything that a scope could allow or refuse',
      },
    ],
  },
  {
    title: 'Events',
    rows: [],
    notChecked: [
      {
        says: 'Events (webhooks or notifications emitted by the interface): not shown.',
        why: 'there is nothing to send or receive; the register has no entry',
      },
    ],
  },
];
