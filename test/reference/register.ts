/**
 * `REGISTER`: the questions that the API specification does not answer. Each entry has the question, how the client and
 * the runner handle every answer, and the evidence for the sandbox's default. `src/sandbox/settings/settings.ts`
 * describes the setting, its values and its default; docs/unspecified-behaviour.md combines both, and docs/fidelity.md has the evidence.
 */

export interface Silence {
  /** The question that the API specification does not answer. */
  question: string;
  /** How the client, the local validation or the runner handles every answer. */
  client: string;
  /** Related passages of the API specification, and the behaviour of similar services. */
  evidence: string;
}

/** Quotations from the API specification are in quotation marks. */
export const REGISTER: Readonly<Record<`U${number}`, Silence>> = {
  U1: {
    question:
      'What does the service answer to a path without its trailing slash, to a wrong path or method, and to a body that is not JSON?',
    client:
      'Uses the paths of the API specification. It follows no redirect, because the token would be sent to another address: a 3xx is an `ApiError` whose message asks to check the base URL.',
    evidence: 'Every path in the specification ends with a slash. Similar services either redirect or answer 404.',
  },
  U2: {
    question: 'Which endpoints answer 401 without a valid token, with what body, and which word precedes the token?',
    client:
      'Sends the token with every call, after `advanced.tokenScheme` (default `Token`; empty for the bare token). On any 401 it renews a token from a function once. It does not need the body.',
    evidence:
      '401 is "stated for the business payment instruction endpoint"; all endpoints "require the Authorization header". The command-line form has the word Token. Similar services take `Token <t>` or the bare token.',
  },
  U3: {
    question: 'Does the service accept historical statements with 200 or with 201?',
    client: 'Accepts both, with the data in an object or a list, or without a body: the result is then `{}`.',
    evidence: 'The heading has 201 Created, the text 200 OK. Similar services answer 201.',
  },
  U4: {
    question: 'What do the lists answer for a supplier that is unknown or has no matching accounts?',
    client:
      '`[]` and 204 are an empty list; 404 is a `NotFoundError`. `data-import-sdk verify` takes a 404 for an empty list if its ledger has no created account either.',
    evidence:
      '"Behaviour when a supplier has no matching accounts, for the list endpoints: not shown." An empty list is the usual answer of a list.',
  },
  U5: {
    question: 'What is the body of the list of imported accounts?',
    client:
      '`imports.imported` returns any JSON unchanged, typed `unknown`, or `undefined` if there is no body, which does not mean that no account is imported. The runner reads `imports.all` instead.',
    evidence: '"Response body: not shown." The other two lists have one shape.',
  },
  U6: {
    question: 'What does the service do with undocumented fields in a request?',
    client:
      'Local validation rejects them (`unknown_field`) before anything is sent; `fields` of a profile allows a field that was agreed with the operator. Undocumented fields of an answer are kept. `accounts.validate` returns in `droppedPaths` the fields that the service left out of its echo, or has empty there.',
    evidence:
      '"Only documented fields may be sent; undocumented fields may gain meaning later." Similar services drop them silently.',
  },
  U7: {
    question: 'Does a field accept other values if the API specification only lists values seen, or shows one example?',
    client:
      'Accepts other values, with the warning `value_never_seen`; `values` of a profile can close the list. Only `supply_type` of a supply point, `type` of a transaction and `term_type` are closed, because the specification lists their values; `values` of a profile opens these too. Answers may contain any value.',
    evidence:
      '"Allowed values of enumerated fields beyond those listed here: not shown." Similar services have several more values for each field.',
  },
  U8: {
    question: 'Which transitions between the statuses of an account import exist, and when do they happen?',
    client: 'Accepts any status, including undocumented ones, and expects no order.',
    evidence:
      '"Transitions between these statuses: not shown." The meanings of the five statuses suggest PENDING, IN_PROGRESS, then COMPLETED or REJECTED.',
  },
  U9: {
    question: 'Which fields of accounts, businesses and transactions are required?',
    client:
      'Requires only the fields that the rules or the shape of a call need (decision 1). `required` of a profile adds the fields that a deployment needs; `STRICT_PROFILE` contains those of stricter deployments.',
    evidence:
      '"Required or optional status of each field … not shown beyond the rules stated in this document." Similar services require different sets.',
  },
  U10: {
    question: 'Which calls besides staging does the service reject for a supplier that is Paused or Complete?',
    client:
      'The 400 is a `ValidationError` for every call. If the supplier is the only cause, the runner rejects no record: it leaves the records of that supplier unfinished, ends with code 8 and names the supplier code. The same command resumes later.',
    evidence: '"Attempts to migrate receive an error"; only stage lists it as a cause of 400.',
  },
  U11: {
    question: 'In which order does process check the reasons to reject an account?',
    client:
      'Does not depend on the order: it recognises an account that exists by the numbers in the body, whatever other errors the body has.',
    evidence:
      'The specification lists the reasons without an order. The sandbox checks first whether the account exists, because this is the most useful answer.',
  },
  U12: {
    question:
      'Which error codes exist beyond the two examples, which shapes do error bodies have, and which part of the body contains the message of a dry run?',
    client:
      'Keeps codes unchanged. It decodes nested fields, `non_field_errors`, lists and plain text into the same list of `{ detail, code, attr }`. It recognises a dry run by its message anywhere in the body of a 400 that gives no other reason.',
    evidence: '"Error codes other than the examples above: not shown." Similar services use all of these shapes.',
  },
  U13: {
    question: 'When does the service reject a `business_contract_identifier` that no business declares?',
    client:
      '`checkRecords` and `data-import-sdk check` warn (`contract_not_in_input`). The runner sends a business before its accounts, and does not send the accounts of a business that failed.',
    evidence:
      'It "must equal" the identifier "given at business creation"; the specification does not state when this is checked. Staging is "validated by the same rules first", so validate rejects what stage rejects here.',
  },
  U14: {
    question:
      'Is the answer for transactions, statements and payment instructions of an account that is not imported 400 or 404?',
    client: '400 is a `ValidationError`, 404 a `NotFoundError`; the client retries neither.',
    evidence: '404 is listed only for notes and the status; these three list 400. Similar services answer 404.',
  },
  U15: {
    question:
      'How does the service recognise a transaction, and does it keep a part of a batch if one transaction fails?',
    client:
      'Depends on neither. It warns if an id is missing or repeated (`transaction_without_id`, `duplicate_transaction`); a run rejects a transaction that the account has twice with one id, or that the service skips for an equal one (`duplicate_transaction`). It sends a failed batch again as a whole, with `check_previously_added` on, when the failing transaction is corrected or set aside.',
    evidence:
      'The check "whether a transaction was already added" is not described. The purpose of an identifier is to identify the transaction.',
  },
  U16: {
    question: 'What is the currently open statement period, and to which date does the service move a date outside it?',
    client:
      'Compares no date with the period, because it does not know the period. With `force_add_to_current_statement: false` such a date causes a `TransactionImportError` that names the transaction.',
    evidence: '"The date is changed to fall within it." The day after the last bill is the first day without a bill.',
  },
  U17: {
    question:
      'When does the service take a note without a body for a duplicate, and do the notes of the staged payload count?',
    client:
      'After a lost answer it sends notes again only if each has a body; otherwise it throws `OutcomeUnknownError`. Local validation warns about a duplicate note (`duplicate_note`).',
    evidence:
      'A note is new if none "has the same body (and the same created_at, when provided)"; the specification does not mention notes that have only documents.',
  },
  U18: {
    question: 'What does `unpin_at` do?',
    client: 'Sends it unchanged; warns if the note is not pinned (`unpin_without_pin`).',
    evidence: '"Appears alongside is_pinned; meaning not otherwise described."',
  },
  U19: {
    question: 'What happens if there is no document at a path?',
    client:
      'Never reads a document. `checkRecords({ documentExists })` calls your function; local validation warns about a path that cannot resolve (`document_path_cannot_resolve`).',
    evidence: '"The service stores no files; it only references objects already placed in object storage."',
  },
  U20: {
    question: 'What does the service answer for a business that already exists?',
    client:
      'After a lost answer it sends nothing again: `OutcomeUnknownError` explains how to find out. The runner does not send the business again either, and lists it for `data-import-sdk resolve`.',
    evidence:
      'Uniqueness is established "by the external business identifier combined with key attributes"; the specification does not state the consequence.',
  },
  U21: {
    question:
      'Is the answer to a business payment instruction for an unknown business or account 400 or 404, is `accounts` required, and may the accounts be only staged?',
    client: '400 is a `ValidationError`, 404 a `NotFoundError`. `accounts` is optional.',
    evidence:
      'The endpoint lists 400, 401 and 500. Similar services answer 404. The specification mentions "an imported business", and no condition on the accounts.',
  },
  U22: {
    question: 'Which bodies do vendor failures have?',
    client:
      'Decides by the status. It does not retry a 400, and retries a 500 with a JSON body. The runner leaves a 500 to you, unless `--resend-after-500` is given. It decodes any body.',
    evidence:
      '400 is "persistent failure to reach the upstream payment vendor", 500 "intermittent vendor failure (retry as-is)". Similar services answer with `error_detail` and `reference`.',
  },
  U23: {
    question: 'How is an account marked to skip, and do the lists contain it?',
    client:
      'Cannot mark an account. Staging a marked account causes a `ValidationError`, and the runner rejects the record.',
    evidence: '"Account already imported or marked to skip" is a cause of 400; no endpoint marks an account.',
  },
  U24: {
    question:
      'Does populate accept an empty list of supply points, or the same one twice, and what form does a batch id have?',
    client:
      'Sends the list unchanged, and reads the batch id as a string. After a lost answer it throws `OutcomeUnknownError`, because a repetition could queue the lookups twice.',
    evidence: '`batch_id` is a string. Similar services return one that looks like a UUID but is not valid.',
  },
  U25: {
    question: 'What form do account numbers have, and in which time zone does a day begin?',
    client:
      'Account numbers are strings, with leading zeros. Dates are sent unchanged; the client assumes no time zone.',
    evidence:
      '`service_account_number` is a string, `service_business_id` an integer. The specification names no time zone.',
  },
  U26: {
    question: 'In which order are the lists, and do they have pages?',
    client:
      'Depends on no order. A list whose header `Link` names a next page is a `ResponseMismatchError`, not the whole list. `imports.all` reads one answer up to `advanced.maxAnswerBytes`; `imports.streamAll` and `data-import-sdk verify` read a list of any length entry by entry.',
    evidence: 'The answer is "array of"; the specification mentions neither order nor pages.',
  },
  U27: {
    question: 'How is a token obtained, and how long is it valid?',
    client:
      '`graphqlToken({ url, apiKey, document, variables, select })` leaves all of this to you. The client renews a token before its `exp`, or before the time that you return, and once after a 401.',
    evidence:
      '"The mutation name, arguments and the GraphQL address: not shown"; "token lifetime and permission scopes: not shown". Similar services: 60 minutes.',
  },
  U28: {
    question: 'Does a 429 state how long to wait?',
    client:
      'Follows `Retry-After` if the answer has it; otherwise the waits grow. A 429 of process pauses process and dry runs, a 429 of another operation all calls of the client. It does not start a wait longer than `maxThrottleWaitMs`: the error has `retryAfterMs`. After an hour of a longer wait it sends one call, and the answer decides. A value that is neither a number of seconds nor an HTTP date, such as `-5`, counts as none; more than seven days, such as a Unix time, count as `maxThrottleWaitMs`, an hour at most.',
    evidence: '"Retry after other accounts finish"; the specification mentions no header.',
  },
  U29: {
    question: 'Does a dry run count against the limit on simultaneous processing?',
    client: 'Treats the 429 of a dry run like that of process; the runner counts dry runs within its limit.',
    evidence: 'Both are calls of one endpoint, and "excess process requests get 429".',
  },
  U30: {
    question:
      'What happens if a second call arrives while the first one for the same account still runs, and what does the status query answer meanwhile?',
    client:
      'Assumes the worst case, that both take effect. After a request without an answer, it sends process again only when the quiet time is over and two status queries find no account. Statements, payment instructions and businesses are never sent again unasked.',
    evidence:
      'The specification lists the checks of process, and not when they happen. A service that checks at the start and creates at the end correctly answers meanwhile that there is no account.',
  },
  U31: {
    question: 'Does the service complete a request whose connection was lost?',
    client:
      'Assumes that it may, even long after the connection was lost: a request without an answer counts as running until the quiet time is over.',
    evidence:
      'The specification does not mention lost connections. Web services usually do not notice them while they work.',
  },
  U32: {
    question:
      'Does the answer contain an entry for each note and transaction of the request, and which other statuses exist?',
    client:
      'Resolves with the answer, and reports to logger and `onSuspicion`. The runner counts an item as sent only if the answer has an entry for it with a status that the specification shows as success. It finds the entry by its content (body and time of a note, id or fields of a transaction), and by its position only if there are as many entries as items. An item without an entry, or with another status, has an unknown outcome; a status that ends in ERROR, FAILED, FAILURE, REJECTED, REFUSED or INVALID makes it rejected.',
    evidence:
      'The answer to notes is an "array of {created_at, body, status}", that to transactions has "results"; the specification shows two statuses of each, and does not state that there is one entry for each item.',
  },
};
