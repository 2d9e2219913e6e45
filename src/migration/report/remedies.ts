/**
 * What to do about a code, and how to settle what nobody knows the end of. The document shows two codes (document:
 * Errors); the others are those of the local check and of the sandbox, and a deployment may have its own (U12).
 */
import type { Step } from '../ledger/ledger.js';
import type { ProblemCode } from '../source/source.js';

const MEND = 'Mend the field in the export';

const REMEDIES: Readonly<Record<string, string> & Record<ProblemCode, string>> = {
  // The document's own.
  account_failed_validation: `${MEND} that the attr names, and run the book again.`,
  invalid_phone_number: `${MEND}: a telephone number in international form such as +33612345678, or leave a landline empty.`,

  // The local check.
  required: 'Add the field: without it the platform cannot take the record.',
  null: 'Leave the field out where there is no value; null is not an empty value.',
  invalid_type: `${MEND}: it is of another type than the document says (a number as text, a list as an object).`,
  invalid_choice: `${MEND}: it takes only the values that the document lists.`,
  invalid_date: `${MEND}: a date that exists in the calendar, YYYY-MM-DD.`,
  invalid_datetime: `${MEND}: YYYY-MM-DDTHH:MM:SS, and then Z or an offset such as +02:00.`,
  invalid: `${MEND}: it is not in the form that the document says.`,
  unknown_field:
    'Only documented fields may be sent. Correct its name or take it out of the export, or name it in a profile if the operator agreed to it. --show-personal-data shows the name; `*` stands for it.',
  identifier_empty: `${MEND}: an identifier must not be empty.`,
  decimal_too_long: `${MEND}: a decimal has at most ten digits on each side of the point.`,
  empty_note: 'Give the note a body or document_paths, or leave it out.',
  document_path_cannot_resolve: `${MEND}: the path is relative to the root of the supplier, and must stay below it.`,
  document_not_found: 'Put the document into the storage first, or leave the path out.',

  further_findings: 'The record has more findings than are listed. Mend those that are listed, and check it again.',

  // Lines that are no records of their own.
  invalid_json: 'The line is no JSON. Look at the export: one record a line, complete and in UTF-8.',
  invalid_utf8: 'The line is not in UTF-8. Export the book in UTF-8.',
  invalid_unicode: `${MEND}: it has half a character (a lone surrogate), often where a text was cut off at a fixed length.`,
  line_too_long: 'The line is longer than any record. Look at the export: a line break may be missing.',
  too_many_values:
    'The line has more values than any record. Look at the export: a list may be repeated in it; split what is added to an account over several runs.',
  too_deep: 'The line is nested deeper than any record. Look at the export.',
  damaged_file: 'The file ends too early or is damaged; what came before was read. Export or copy it again.',
  invalid_csv: 'The row does not fit its header: its quotes or the number of its cells. Look at the export.',
  map_failed:
    'The mapping module threw an error for the row. Correct the module or the row, and run the same command again.',
  no_record: 'The file has no record. Look at the export, or leave the file out.',
  duplicate_record:
    'The same record is in the input twice and was taken once: nothing is missing. Remove one from the export.',
  contradicting_record:
    'The input has another record with this number and other content, and that one was taken. Decide which one is right, and remove the other from the export.',
  duplicate_business: 'The input has another business with this identifier. Remove the wrong one from the export.',
  duplicate_populate: 'The input has the same supply points to be looked up twice. Remove one from the export.',
  duplicate_payment_instruction:
    'The record has this payment instruction twice, and the service would add it twice. Keep one of the two.',
  duplicate_account: 'The book has another account with this number. Take the wrong one out of the export.',
  business_failed:
    'The account waits for its business, which was rejected or is unknown. Mend or settle the business and run the same command again: the account goes by itself.',

  // What only the platform knows.
  account_already_imported: 'The platform has the account. If it was imported by hand, nothing is to be done.',
  account_marked_to_skip: 'The operator marked the account to skip. Ask the operator, or take it out of the export.',
  account_not_found: 'The platform does not find the account. Check the supplier code and the account number.',
  account_not_staged:
    'The staged data is gone. Send the record again with data-import retry; if it happens again, ask the operator.',
  business_already_exists:
    'The platform has a business with this identifier, name, number and type. Ask the operator for its id, and take it out of the export.',
  business_contract_not_found:
    'The platform has no business with this contract. Import the business first, or mend the contract identifier.',
  business_not_found: 'The platform does not find the business. Check the supplier code and the business identifier.',
  import_supplier_not_found: 'The platform has no such import supplier. Check the code with the operator.',
  import_supplier_not_ongoing:
    'The import supplier is Paused or Complete. Ask the operator to set it to Ongoing, and run the same command again.',
  operations_team_not_found: 'The platform has no such operations team. Check the name of the team with the operator.',
  payment_vendor_failure:
    'The payment vendor does not know the instruction, or cannot be reached for it. Check vendor and reference; do not send it again unchanged.',
  payment_vendor_unavailable: 'The payment vendor did not answer. Send it again later as it is.',
  existed_before_import:
    'The account existed before this run, so these items were not sent. Where the account is yours, --add-to-existing sends its notes and transactions: the service skips those that it has. It does not skip statements and payment instructions: look at the account first; --add-all-to-existing sends these again even where another run, another folder or a person has sent them.',
  existed_under_another_number:
    'The service knows the account by another external account number, so these items were not sent. Ask the operator which number counts.',
  changed_after_import:
    'The line changed after its account was created, so these items were not sent. --add-to-existing sends notes and transactions: the service skips those that it has. It does not skip statements and payment instructions; for these ask the operator.',
  fewer_results:
    'The answer had no entry for this item, so it may have been added or not. Look at the account on the platform, and say with data-import resolve what is there.',
  unknown_status:
    'The answer gave this item a status that the API specification does not show. Ask the operator what it means, and say with data-import resolve whether the item is there.',
  other_account:
    'The answer named another account than was sent. Ask the operator what was done for which account, and say with data-import resolve.',
  contradicting_transaction:
    'An earlier transaction of the account has this transaction_id and other content, so this one was not sent: the service may skip it. Give it an id of its own, and retry.',
  transaction_import_error:
    'The platform refused this transaction, for example because its date lies outside the open statement period. Check its date and amount.',
  validation_failed: `${MEND} that the attr names, and run the book again.`,
  other_errors: 'There are too many kinds of errors to list them all: look into rejected.jsonl.',
};

const GENERAL =
  'Look at the field that the attr names and at the words of the service in its own documentation; ask the operator what the code means.';

export function remedyOf(code: string): string {
  if (Object.hasOwn(REMEDIES, code)) return REMEDIES[code] ?? GENERAL;
  const status = /^http_(\d{3})$/.exec(code)?.[1];
  return status === undefined
    ? GENERAL
    : `The service answered with status ${status} and said no code. Ask the operator what it stands for.`;
}

/** By the step whose answer was lost. */
const SETTLING: Readonly<Record<Step, string>> = {
  check: 'Run the same command again.',
  populate:
    'Ask the operator whether the lookups were queued, or accept that they are made twice; and say so with data-import resolve. Nothing else waits for them.',
  create:
    'Ask the operator whether the business exists, and say so with data-import resolve (--as done with its --service-id). Until then its accounts wait.',
  validate: 'Nothing was changed: run the same command again.',
  stage:
    'Ask the operator for which account the data were staged, and say with data-import resolve whether it was this one. Nothing was created.',
  dryRun: 'Nothing was changed: run the same command again.',
  process: 'Run the same command again, or data-import resolve: either asks the platform whether it has the account.',
  paymentInstruction:
    'Look at the payment instructions of the account or business on the platform, and say with data-import resolve whether this one is there.',
  statements:
    'Look at the historical statements of the account on the platform, and say with data-import resolve whether they are there.',
  transactions:
    'Say with data-import resolve that they are not done, and continue without --no-check-previously-added: the service skips those that it has.',
  notes: 'Look at the notes of the account on the platform, and say with data-import resolve whether they are there.',
};

export function settlingOf(step: Step): string {
  return SETTLING[step];
}

/** What to do about a record that is open, by the step that was announced for it and not answered. */
export function goingOnOf(announced: Step | null): string {
  // A staging that was never answered is simply sent again.
  return `${settlingOf(announced === null || announced === 'stage' ? 'check' : announced)} A run needs its line in the book for that.`;
}
