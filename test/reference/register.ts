/**
 * The register of what the document does not show, in words: what the question is, what the client and the runner do
 * so that every answer to it works, and what the sandbox's default rests on. The setting itself, its values and its
 * default are told by `src/sandbox/settings/settings.ts`; docs/unspecified-behaviour.md puts the two together.
 */

export interface Silence {
  /** Where the document is silent. */
  question: string;
  /** What the client, the local check or the runner does, whatever the answer. */
  client: string;
  /** What the document says near it, and what its relatives are known to do. */
  evidence: string;
}

/** Of the passages of the document, quotations stand in quotation marks. */
export const REGISTER: Readonly<Record<`U${number}`, Silence>> = {
  U1: {
    question:
      'What is answered to a path without its trailing slash, to a wrong path or method, and to a body that is no JSON?',
    client:
      'Sends the paths as the document writes them. Follows no redirect, for it would carry the token: a 3xx is an `ApiError` that says to check the base URL.',
    evidence: 'Every path in the document ends in a slash. Services of this kind either redirect or answer 404.',
  },
  U2: {
    question:
      'Which endpoints answer 401 without a valid token, with what body, and what word stands before the token?',
    client:
      'Sends the token with every call, after `tokenScheme` (default `Token`; empty for the bare token). On any 401 a token from a function is renewed once. The body is not needed.',
    evidence:
      '401 is "stated for the business payment instruction endpoint"; all endpoints "require the Authorization header". The command-line form has the word Token. Relatives take `Token <t>` or the bare token.',
  },
  U3: {
    question: 'Are historical statements accepted with 200 or with 201?',
    client: 'Takes both, with the data in an object or a list, or without a body: the result is then `{}`.',
    evidence: 'The heading says 201 Created, the text 200 OK. Relatives answer 201.',
  },
  U4: {
    question: 'What do the lists answer for a supplier that is not known or has no matching accounts?',
    client:
      '`[]` and 204 are an empty list; 404 is a `NotFoundError`. `data-import verify` takes it for an empty list where its ledger has nothing created either.',
    evidence:
      '"Behaviour when a supplier has no matching accounts, for the list endpoints: not shown." An empty list is the ordinary answer of a list.',
  },
  U5: {
    question: 'What is the body of the list of imported accounts?',
    client:
      '`imports.imported` gives the entries with every field optional, other JSON as it came, or `undefined` where there is no body, which does not mean that nothing was imported. The runner reads `imports.all` in its place.',
    evidence: '"Response body: not shown." The other two lists have one shape.',
  },
  U6: {
    question: 'What becomes of fields in a request that the document does not have?',
    client:
      'The local check refuses them (`unknown_field`) before anything is sent; a field that was agreed with the operator goes into `fields` of a profile. What an answer carries beyond the document is kept. `accounts.validate` tells in `dropped` what the service left out of its echo.',
    evidence:
      '"Only documented fields may be sent; undocumented fields may gain meaning later." Relatives drop them without a word.',
  },
  U7: {
    question: 'Does a field whose values the document calls seen, or shows one of, take others?',
    client:
      'Other values pass, with the warning `value_never_seen`; a profile (`values`) can close them. Only `supply_type` of a supply point, `type` of a transaction and `term_type` are closed, for the document lists their values; `values` of a profile opens these too. Answers take any value.',
    evidence:
      '"Allowed values of enumerated fields beyond those listed here: not shown." Relatives have several more of each.',
  },
  U8: {
    question: 'Which transitions between the statuses of an account import are there, and when?',
    client: 'Takes whatever status comes, also one that the document does not list, and expects no order.',
    evidence:
      '"Transitions between these statuses: not shown." The meanings of the five suggest PENDING, IN_PROGRESS, then COMPLETED or REJECTED.',
  },
  U9: {
    question: 'Which fields of accounts, businesses and transactions are required?',
    client:
      'Asks only for what the rules or the shape of a call force (docs/decisions/0001-required-fields.md). What a deployment demands goes into `required` of a profile; `STRICT_PROFILE` has what stricter ones are known to demand.',
    evidence:
      '"Required or optional status of each field … not shown beyond the rules stated in this document." Relatives require different sets.',
  },
  U10: {
    question: 'What else than staging is refused for a supplier that is Paused or Complete?',
    client:
      'The 400 is a `ValidationError` wherever it comes. Where nothing but the supplier is wrong the runner rejects no record: it leaves the records of that supplier, ends with code 8 and names the supplier code, and the same command goes on later.',
    evidence: '"Attempts to migrate receive an error"; it is stated as a cause of 400 for stage alone.',
  },
  U11: {
    question: 'In which order does process look for a reason to refuse?',
    client: 'Relies on none: an account that exists is told by the numbers in the body, whatever else is wrong.',
    evidence:
      'The document lists the reasons without an order. That the account exists is most useful to know, so it comes first.',
  },
  U12: {
    question:
      'What are the error codes beyond the two examples, which shapes have error bodies, and where in the body stands the message of a dry run?',
    client:
      'Codes stay as they came. Nested fields, `non_field_errors`, lists and plain text become the same list of `{ detail, code, attr }`. The dry run is told by its message, wherever it stands in the body of a 400.',
    evidence: '"Error codes other than the examples above: not shown." Relatives answer with all of these shapes.',
  },
  U13: {
    question: 'When is a `business_contract_identifier` refused that no business declares?',
    client:
      '`checkRecords` and `data-import check` warn (`contract_not_in_book`). The runner sends a business before its accounts, and lets those of a business that failed wait.',
    evidence:
      'It "must equal" the identifier "given at business creation"; when that is checked is not said. Staging is "validated by the same rules first", so what stage refuses here validate refuses too.',
  },
  U14: {
    question: 'Is an account that is not imported 400 or 404 for transactions, statements and payment instructions?',
    client: '400 is a `ValidationError`, 404 a `NotFoundError`; neither is retried.',
    evidence: '404 is listed for notes and the status alone; these three list 400. Relatives answer 404.',
  },
  U15: {
    question: 'By what does the service know a transaction again, and is a batch kept in part when one of it fails?',
    client:
      'Relies on neither: it warns where an id is missing or repeated (`transaction_without_id`, `duplicate_transaction`), and a failed batch is sent again whole, with `checkPreviouslyAdded` on, when the failing one is corrected or set aside.',
    evidence:
      'The check "whether a transaction was already added" is not described. An identifier is there to identify.',
  },
  U16: {
    question: 'What is the currently open statement period, and where does a date outside it go?',
    client:
      'Checks no date against it, for it cannot know it. `forceAddToCurrentStatement: false` makes such a date a `TransactionImportError` that names the transaction.',
    evidence: '"The date is changed to fall within it." The day after the last bill is the first that no bill has.',
  },
  U17: {
    question: 'When is a note without a body the same as another, and do the notes of the staged payload count?',
    client:
      'After a lost answer notes are sent again only if each has a body; otherwise `OutcomeUnknownError`. The local check warns where a note is there twice (`duplicate_note`).',
    evidence:
      'A note is new if none "has the same body (and the same created_at, when provided)"; notes of documents alone are not spoken of.',
  },
  U18: {
    question: 'What does `unpin_at` do?',
    client: 'Sends it as it is given; warns where the note is not pinned (`unpin_without_pin`).',
    evidence: '"Appears alongside is_pinned; meaning not otherwise described."',
  },
  U19: {
    question: 'What happens where no document lies at a path?',
    client:
      'Never reads one. `checkRecords({ documentExists })` asks you; the local check warns where a path cannot resolve (`document_path_cannot_resolve`).',
    evidence: '"The service stores no files; it only references objects already placed in object storage."',
  },
  U20: {
    question: 'What is answered to a business that exists already?',
    client:
      'After a lost answer nothing is sent again: `OutcomeUnknownError` says how to find out. The runner does not send it twice either, and lists it for `data-import resolve`.',
    evidence:
      'Uniqueness is established "by the external business identifier combined with key attributes"; what follows from it is not said.',
  },
  U21: {
    question:
      'Is an unknown business or account 400 or 404 for a business payment instruction, must accounts be named, and may they be only staged?',
    client: '400 is a `ValidationError`, 404 a `NotFoundError`. `accounts` may be left out.',
    evidence:
      'The endpoint lists 400, 401 and 500. Relatives answer 404. It speaks of "an imported business", and sets no condition on the accounts.',
  },
  U22: {
    question: 'What are the bodies of vendor failures?',
    client:
      'Decides by the status: 400 is not retried, 500 is where its body is JSON; the runner leaves a 500 to you, unless `--resend-after-500`. Whatever the body, it decodes.',
    evidence:
      '400 is "persistent failure to reach the upstream payment vendor", 500 "intermittent vendor failure (retry as-is)". Relatives have `error_detail` and `reference` in it.',
  },
  U23: {
    question: 'How is an account marked to skip, and is it still listed?',
    client: 'Cannot mark one. Staging it is a `ValidationError`, and the runner puts the record among the rejected.',
    evidence: '"Account already imported or marked to skip" is a cause of 400; no endpoint marks.',
  },
  U24: {
    question: 'Does populate take no supply points, or one twice, and what form has a batch id?',
    client:
      'Sends what it is given, and reads the batch id as a text. After a lost answer: `OutcomeUnknownError`, for the lookups may be queued twice.',
    evidence: '`batch_id` is a string. Relatives give one that looks like a UUID and is not one.',
  },
  U25: {
    question: 'What form have account numbers, and by which time zone does a day begin?',
    client:
      'Numbers of accounts are texts, with their leading zeros. Dates are sent as they are given; no time zone is assumed.',
    evidence: '`service_account_number` is a string, `service_business_id` an integer. The time zone is nowhere.',
  },
  U26: {
    question: 'In which order are the lists, and do they have pages?',
    client:
      'Relies on no order. `imports.all` reads one answer up to `maxAnswerBytes`; `imports.streamAll` and `data-import verify` read a list of any length entry by entry.',
    evidence: 'The answer is "array of"; neither order nor pages are mentioned.',
  },
  U27: {
    question: 'Where and how is a token had, and how long is it valid?',
    client:
      '`graphqlToken({ url, apiKey, document, variables, select })` leaves all of it to you. A token is renewed before its `exp`, or the time that you give, and once after a 401.',
    evidence:
      '"The mutation name, arguments and the GraphQL address: not shown"; "token lifetime and permission scopes: not shown". Relatives: 60 minutes.',
  },
  U28: {
    question: 'Does 429 say how long to wait?',
    client:
      'Honours `Retry-After` where there is one; otherwise the waits grow. A 429 of process holds back process and dry runs, a 429 of another operation all calls of the client. A wait beyond `maxThrottleWaitMs` is not begun: the error has `retryAfterMs`. After an hour of a wait one call is let through, and its answer decides. A value that no service means (negative, a Unix time, more than seven days) counts as `maxThrottleWaitMs`, an hour at most.',
    evidence: '"Retry after other accounts finish"; no header is mentioned.',
  },
  U29: {
    question: 'Does a dry run count against the limit on simultaneous processing?',
    client: 'Treats 429 of a dry run as that of process; the runner counts dry runs within its limit.',
    evidence: 'Both are calls of one endpoint, and "excess process requests get 429".',
  },
  U30: {
    question:
      'What happens when a second call arrives while the first one for the same account still runs, and what does the status query say meanwhile?',
    client:
      'Expects the worst, that both take effect. After a request without an answer, process is not sent again before a quiet time is over and two status queries say that there is no account. Statements, payment instructions and businesses are never sent again unasked.',
    evidence:
      'The checks of process are listed, and not when they are made. A service that checks at the start and creates at the end tells truthfully meanwhile that there is no account.',
  },
  U31: {
    question: 'Does the service complete a request whose connection was lost?',
    client:
      'Expects that it may, also long after the connection was lost: a request without an answer counts as running until the quiet time is over.',
    evidence: 'Nothing is said of lost connections. Web services usually do not notice them while they work.',
  },
  U32: {
    question: 'Has an answer an entry for each note and transaction that was sent, and which other statuses are there?',
    client:
      'Resolves with the answer, and tells logger and `onSuspicion`. The runner counts an item as sent only by an entry of its own with a status that the specification shows as success. It finds the entry by what it carries (body and time of a note, id or fields of a transaction), and by its place only where there are as many entries as items. An item without an entry, or with another status, is unknown; a status that ends in ERROR, FAILED, FAILURE, REJECTED, REFUSED or INVALID makes it rejected.',
    evidence:
      'The answer to notes is an "array of {created_at, body, status}", that to transactions has "results"; two statuses of each are shown, and nothing says that there are as many as were sent.',
  },
};
