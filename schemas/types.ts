/** Exports the types of all payloads, answers and error bodies, and no value, so that `export type *` of this file is complete. */
export type {
  AlreadyImportedBody,
  ErrorItem,
  OtherErrorBody,
  PaymentVendorErrorBody,
  TransactionImportErrorBody,
  ValidationErrorBody,
} from './error-bodies.js';
export type { JsonObject, JsonValue, KeyValue, OpenEnum } from './fields.js';
export type {
  AccountImportProcess,
  AccountImportStatus,
  AccountTransferStatus,
  ImportedAccountImportProcess,
} from './import-status.js';
export type {
  Account,
  AccountBusiness,
  AccountCampaign,
  AccountStatement,
  Customer,
  CustomerPreferences,
  EnergyCheque,
  MetadataEntry,
  StageAnswer,
  SupplementaryLedger,
  ValidatedAccount,
} from './payloads/account.js';
export type { BusinessAnswer, BusinessDetails, BusinessPayload } from './payloads/business.js';
export type {
  CharacteristicOverride,
  CharacteristicOverrideTerm,
  Contract,
  ContractMetadataTerm,
  ContractTerm,
  ContractVersion,
  DelayerDaysTerm,
  EffectivePeriod,
  GuaranteeOfOriginConfigurationTerm,
  IssuanceFrequencyTerm,
  PaysByDirectDebitTerm,
  ProductRateOverride,
  ProductRateOverrideSchedule,
  ProductRateOverrideScheduleTerm,
  RateGroupEligibilitySchedule,
  RateGroupEligibilityTerm,
  TerminationFeeTerm,
} from './payloads/contract.js';
export type {
  HistoricalStatement,
  HistoricalStatementsAnswer,
  HistoricalStatementsPayload,
} from './payloads/historical-statement.js';
export type {
  DocumentNote,
  DocumentPath,
  Note,
  NoteFields,
  NoteResult,
  NotesPayload,
  NoteWithBodyOrDocumentPaths,
  TextNote,
} from './payloads/note.js';
export type {
  BusinessPaymentInstruction,
  BusinessPaymentInstructionAnswer,
  InstructedAccount,
  PaymentInstruction,
  PaymentInstructionAnswer,
} from './payloads/payment-instruction.js';
export type { PopulateAnswer, PopulatePayload } from './payloads/populate.js';
export type { ProcessAnswer, ProcessPayload } from './payloads/process.js';
export type {
  Agreement,
  AgreementAddon,
  ConsentData,
  PaymentSchedule,
  SupplyAddress,
  SupplyPoint,
  SupplyPointPaymentInstruction,
} from './payloads/supply-address.js';
export type {
  LineItem,
  TaxItem,
  Transaction,
  TransactionEcho,
  TransactionResult,
  TransactionsAnswer,
  TransactionsPayload,
  TransactionType,
} from './payloads/transaction.js';
export type { KnownAccountImportStatus } from './values.js';
