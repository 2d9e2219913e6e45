/** Exports `configJsonSchema`, from which editors complete and check `data-import.config.json`. The build writes it into the package. */
import type { Option } from 'commander';
import { optionsOfAll } from '../commands.js';
import { takesValue } from './environment.js';
import { DeclaredOption } from './option.js';

const SOURCES = {
  type: 'object',
  description: 'Files that a query reads, by the names of their tables.',
  additionalProperties: {
    type: 'object',
    properties: {
      file: { type: 'string', description: 'Path, from the folder of the config file.' },
      encoding: { type: 'string', description: 'A name of the WHATWG Encoding Standard, such as windows-1252.' },
      delimiter: { type: 'string', description: 'Between two fields of a row.' },
    },
    required: ['file'],
    additionalProperties: false,
  },
};

/** Returns a JSON Schema (draft 2020-12) with the settings of all commands. */
export async function configJsonSchema(): Promise<Record<string, unknown>> {
  const options = (await optionsOfAll()).filter(
    (option): option is DeclaredOption => option instanceof DeclaredOption && !option.spec.isFlagOnly,
  );
  const settings = new Map(options.map((option) => [option.attributeName(), settingOf(option)]));
  const sorted = [...settings].sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:data-import-sdk:config',
    type: 'object',
    properties: { $schema: { type: 'string' }, sources: SOURCES, ...Object.fromEntries(sorted) },
    additionalProperties: false,
  };
}

function settingOf(option: DeclaredOption): object {
  const { help, details, choices, default: value } = option.spec;
  return {
    ...typeOf(option),
    description: details === undefined ? help : `${help}. ${details}`,
    ...(choices !== undefined && { enum: choices }),
    ...(value !== undefined && { default: value }),
  };
}

function typeOf(option: Option): object {
  if (!takesValue(option)) return { type: 'boolean' };
  return { type: option.parseArg === undefined ? 'string' : ['string', 'number'] };
}
