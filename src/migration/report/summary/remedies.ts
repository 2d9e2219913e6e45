/** Exports `remedyOf`, the remedy for an error code, and `howToResolveStep`, how to resolve an unknown outcome. Codes of the service: `KNOWN_ERRORS`. */
import { KNOWN_ERRORS, type KnownErrorCode } from '../../../errors/known-errors.js';
import type { ProblemCode } from '../../input/source.js';
import type { Step } from '../../ledger/ledger.js';

const REMEDIES: Readonly<Record<string, string> & Record<Exclude<ProblemCode, KnownErrorCode>, string>> = {
  // The local check.
  unknown_field: `${remedyOfKnown('unknown_field')} A name is printed as * because it may be personal data: check and run show it with --show-personal-data.`,
  decimal_too_long: 'A decimal has at most ten digits on each side of the point. Correct the value.',
  empty_note: 'The note has neither body nor document_paths. Add one of them, or leave the note out.',
  document_path_cannot_resolve:
    'The path of a document is relative to the root of the supplier and must stay below it. Correct the path.',

  further_lines:
    'Further lines cannot be read. Correct the input, and run the same command again: correct lines are not sent a second time.',
  further_findings: 'The record has more findings than are listed. Correct those that are listed, and check it again.',

  scientific_notation:
    'A spreadsheet or another program wrote the identifier as a rounded number, so its digits are lost. Export the column as text from the system that has the numbers; the file does not have them any more.',

  // Lines that did not become separate records.
  duplicate_key:
    'A name stands twice in one object, so that only one of its values would be sent. Remove or rename one.',
  inexact_number: 'The number has more digits than JavaScript can hold. Write it as a text.',
  escaped_name:
    'The name is one escaped character, which some versions of Node read as another. Write the character itself, or a longer name.',
  invalid_json_value:
    'JSON cannot represent the value, such as NaN, a date object or a Map. Let the mapping or the program return texts, finite numbers, booleans, lists and plain objects.',
  invalid_json: 'The line is not valid JSON. Export one complete record per line, in UTF-8.',
  invalid_encoding: 'The line is not in the encoding of the file. Name it with --encoding, or export it in UTF-8.',
  invalid_unicode:
    'A text has half a character (a lone surrogate), often because it was cut off at a fixed length. Correct the text.',
  line_too_long:
    'The line is longer than the longest line that is read. Look at the export: a line break may be missing. For a longer record, give --longest-line.',
  too_many_values:
    'The line has more values than any record. Look at the export: a list may be repeated in it; split what is added to an account over several runs.',
  too_deep: 'The line is nested deeper than any record. Look at the export.',
  damaged_file: 'The file ends too early or is damaged; what came before was read. Export or copy it again.',
  invalid_csv:
    'The row does not fit its header: its quotes or the number of its cells. Correct the row in the export, and run the same command again.',
  map_failed:
    'The mapping module threw an error for the row. Correct the module or the row, and run the same command again.',
  incomplete_record:
    'A row of another file that seems to belong to the record cannot be read, and the record is not sent without it. Correct that row, which is listed as rejected, and run the same command again.',
  row_in_no_record:
    'The row is in no record: the mapping never asked for it. Correct its number, or add its customer to the input. If it shall not be sent, remove the row, or let the mapping ask for it and leave it out (docs/mapping.md). If a query never reads a source, read it, or remove its declaration (docs/sql-input.md). Then run the same command again.',
  no_record: 'The file has no record. Look at the export, or leave the file out.',
  duplicate_record:
    'The same record is in the input twice and was taken once: nothing is missing, and nothing is to do.',
  contradicting_record:
    'The input has another record with this number and other content, and that one was taken. Decide which one is right, and remove the other from the export. If the one that was taken is wrong and its record was created, ask the operator: an import cannot change it.',
  duplicate_payment_instruction:
    'The record has this payment instruction twice, and the service would add it twice. Keep one of the two.',
  duplicate_statement:
    'The record has another statement with this statement_id, and the service may add both. Keep one of the two, or correct the statement_id.',
  business_failed:
    'The account waits for its business, which was rejected or is unknown. Correct or resolve the business and run the same command again, which sends the account.',

  // Known codes, with what to do in a run.
  import_supplier_not_ongoing: `${remedyOfKnown('import_supplier_not_ongoing')} Running the same command again does that.`,
  business_already_exists: `${remedyOfKnown('business_already_exists')} Then take its line out of the export.`,
  account_not_staged: `${remedyOfKnown('account_not_staged')} data-import-sdk retry does both.`,

  // Of the runner.
  request_too_large:
    'The request is larger than the service, or a proxy before it, accepts (413); requests of several items were halved until one was left. Make the item or the record smaller, or ask the operator for the limit; transactions that --no-check-previously-added sends in one request are sent in smaller ones without it (--transactions-at-once).',
  existed_before_import:
    'The account existed before this run, so these items were not sent. Where the account is yours, --add-to-existing sends its notes and transactions: the service skips those that it has. It does not skip statements and payment instructions: look at the account first; --add-all-to-existing sends these again even where another run, another folder or a person has sent them.',
  existed_under_another_number:
    'The service knows the account by another external account number, so these items were not sent. Ask the operator which number counts.',
  changed_after_import:
    'The line changed after its account was created, so these items were not sent. --add-to-existing sends them, except statements and payment instructions that may replace one that was sent: for these ask the operator.',
  fewer_results:
    'The answer had no entry for this item, so it may have been added or not. Look at the account in the service, then record the finding with data-import-sdk resolve.',
  unknown_status:
    'The answer gave this item a status that the API specification does not show. Ask the operator what it means, and say with data-import-sdk resolve whether the item is there.',
  errors_in_answer:
    'The service accepted the request, and its answer has errors, so items may have been added or not. Look at the account in the service, then record the finding with data-import-sdk resolve.',
  answer_of_another_request:
    'The answer named another account, business or item than the request, or gave the number of another record. Ask the operator what was changed, then record it with data-import-sdk resolve.',
  contradicting_transaction:
    'Another transaction of the account has this transaction_id, so this one was not sent: the service may skip it, or add it a second time. Give it another transaction_id, or leave it out; then run data-import-sdk retry.',
  transaction_import_error:
    'The service refused this transaction, for example because its date lies outside the open statement period. Check its date and amount.',
  other_errors: 'There are too many kinds of errors to list them all: look into rejected.jsonl.',
};

const GENERAL =
  'Look at the field that the attr names and at the words of the service in its own documentation; ask the operator what the code means.';

export function remedyOf(code: string): string {
  const remedy = Object.hasOwn(REMEDIES, code) ? REMEDIES[code] : remedyOfKnown(code);
  if (remedy !== undefined) return remedy;
  const status = /^http_(\d{3})$/.exec(code)?.[1];
  return status === undefined
    ? GENERAL
    : `The service answered with status ${status} and no error code. Ask the operator what it means.`;
}

/** How to resolve an unknown outcome, by step. */
const SETTLING: Readonly<Record<Step, string>> = {
  check: 'Run the same command again.',
  populate:
    'Ask the operator whether the lookups were queued, or accept that they are made twice; and say so with data-import-sdk resolve. Nothing else waits for them.',
  create:
    'Ask the operator whether the business exists, and say so with data-import-sdk resolve (--as done with its --service-id). Until then its accounts wait.',
  validate: 'Nothing was changed: run the same command again.',
  stage:
    'Ask the operator for which account the data were staged, and say with data-import-sdk resolve whether it was this one. Nothing was created.',
  dryRun: 'Nothing was changed: run the same command again.',
  process:
    'Run the same command again, or data-import-sdk resolve: either asks the service whether it has the account.',
  paymentInstruction:
    'Look at the payment instructions of the account or business on the service, and say with data-import-sdk resolve whether this one is there.',
  statements:
    'Look at the historical statements of the account on the service, and say with data-import-sdk resolve whether they are there.',
  transactions:
    'Say with data-import-sdk resolve that they are not done, and continue without --no-check-previously-added: the service skips those that it has.',
  notes:
    'Look at the notes of the account on the service, and say with data-import-sdk resolve whether they are there.',
};

/** Returns cause and remedy of a known code; undefined for any other. */
function remedyOfKnown(code: string): string | undefined {
  if (!Object.hasOwn(KNOWN_ERRORS, code)) return undefined;
  const { cause, action } = KNOWN_ERRORS[code as KnownErrorCode];
  return `${cause} ${action}`;
}

export function howToResolveStep(step: Step): string {
  return SETTLING[step];
}

/** Returns how to continue an unfinished record, by the step of its intent. */
export function howToContinue(intent: Step | null): string {
  // A staging request without an answer is sent again.
  return `${howToResolveStep(intent === null || intent === 'stage' ? 'check' : intent)} The run needs its line in the input for that.`;
}
