/**
 * Exports `MACROS`, additional SQL functions for queries. A value that they cannot read comes back with `UNREADABLE` before it: no cast and
 * no field takes it, and the local check reports it.
 */
import { UNREADABLE } from '../../../validation/warnings/value-forms.js';
import { PHONE_FUNCTION } from './phone-function.js';

/** Spaces that spreadsheets use as thousands separators: a plain one and two non-breaking ones. */
const SPACES = ' \u00a0\u202f';

/** More decimals than any number of an export. With 300, a JSON number would lose digits. */
const DECIMALS = ',[0-9]{1,30}';
const NUMBERS = {
  /** The most common form, which has at most 15 digits. */
  short: '-?(0|[1-9][0-9]{0,10})(,[0-9]{1,4})?',
  /** With groups of three digits. Without a comma, a point may be the decimal mark. */
  any: `-?(0|[1-9][0-9]*)(${DECIMALS})?|-?[1-9][0-9]{0,2}([${SPACES}][0-9]{3})+(${DECIMALS})?|-?[1-9][0-9]{0,2}(\\.[0-9]{3})+${DECIMALS}`,
};
/** A JSON number represents every decimal with this number of digits. */
const EXACT_DIGITS = 15;

const DAY_AND_MONTH = '([0-2]?[0-9]|3[01])[/.-](0?[0-9]|1[0-2])[/.-]';
const DAY = `${DAY_AND_MONTH}[12][0-9]{3}`;
/** Two digits are no year: %Y would take 80 for the year 80. */
const ANY_DAY = '([0-9]{1,2}[/.-]){2}[12][0-9]{3}|[12][0-9]{3}([/.-][0-9]{1,2}){2}|[12][0-9]{7}';
const ISO_DAY = '[12][0-9]{3}-[01][0-9]-[0-3][0-9]';
const MIDNIGHT = '([ T]00:00(:00)?)?';
const ISO_TIME = `${ISO_DAY}T[0-2][0-9]:[0-5][0-9]:[0-5][0-9](Z|[+-][0-2][0-9]:[0-5][0-9])`;
const TIME = '([ T]([01]?[0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?)?';

export const MACROS = `
CREATE MACRO unreadable(t) AS CASE WHEN starts_with(t::VARCHAR, '${UNREADABLE}') THEN t::VARCHAR ELSE '${UNREADABLE}' || coalesce(t::VARCHAR, '') END;
-- Of an empty text NULL: there is no value.
CREATE MACRO unless_empty(t) AS CASE WHEN trim(t) <> '' THEN unreadable(t) END;
-- The form of the service, whatever the form of the column.
CREATE MACRO other_day(t) AS CASE
  WHEN regexp_full_match(trim(t), '${ISO_DAY}') AND try_cast(trim(t) AS DATE) IS NOT NULL THEN trim(t)
  ELSE unless_empty(t) END;

-- The pattern comes first: %Y would take 1/2/80 for the year 80. The first case is the common form, which takes a third of the time.
CREATE MACRO date_dmy(t) AS CASE
  WHEN regexp_full_match(t, '[0-3][0-9]/[01][0-9]/[12][0-9]{3}') THEN coalesce(strftime(try_strptime(t, '%d/%m/%Y'), '%Y-%m-%d'), other_day(t))
  WHEN regexp_full_match(trim(t), '${DAY}${MIDNIGHT}')
    THEN coalesce(strftime(try_strptime(translate(split_part(replace(trim(t), 'T', ' '), ' ', 1), '.-', '//'), '%d/%m/%Y'), '%Y-%m-%d'), other_day(t))
  ELSE other_day(t) END;

-- The latest year that the two digits can mean: 26 is 2026 and 27 is 1927 for latest_year 2026.
CREATE MACRO with_century(t, latest_year) AS CASE
  WHEN regexp_full_match(trim(t), '${DAY_AND_MONTH}[0-9]{2}')
    THEN trim(t)[:-3] || (latest_year - (latest_year - trim(t)[-2:]::INTEGER) % 100) END;
CREATE MACRO date_dmyy(t, latest_year) AS CASE
  WHEN date_dmy(with_century(t, latest_year)) LIKE '____-__-__' THEN date_dmy(with_century(t, latest_year))
  ELSE other_day(t) END;

CREATE MACRO date_as(t, format) AS CASE
  WHEN regexp_full_match(trim(t), '${ANY_DAY}') THEN coalesce(strftime(try_strptime(trim(t), format), '%Y-%m-%d'), other_day(t))
  ELSE other_day(t) END;

-- 12,50- as -12,50: SAP writes the minus after the number.
CREATE MACRO minus_first(t) AS CASE WHEN regexp_full_match(t, '[^-]*[0-9] ?-') THEN '-' || rtrim(t[:-2]) ELSE t END;
-- With a point, as JSON writes it.
CREATE MACRO json_decimal(t) AS replace(translate(trim(t), '${SPACES}.', ''), ',', '.');
-- Neither zeros before a number nor zeros after its decimals count.
CREATE MACRO digits_of(d) AS length(replace(ltrim(CASE WHEN contains(d, '.') THEN rtrim(d, '0') ELSE d END, '-0.'), '.', ''));
-- NULL for any other text.
CREATE MACRO decimal_in(t) AS CASE
  WHEN regexp_full_match(t, '${NUMBERS.short}') THEN replace(t, ',', '.')
  WHEN regexp_full_match(trim(t), '${NUMBERS.any}') AND digits_of(json_decimal(t)) <= ${EXACT_DIGITS} THEN json_decimal(t) END;
CREATE MACRO decimal_of(t) AS coalesce(decimal_in(t), decimal_in(minus_first(trim(t))));
CREATE MACRO number_comma(t) AS coalesce(decimal_of(t)::JSON, to_json(unless_empty(t)));
CREATE MACRO number_point(t) AS coalesce(decimal_of(translate(t, ',.', '.,'))::JSON, to_json(unless_empty(t)));
-- Of a number of these functions, and not of its text: abs() needs a cast, which rounds.
CREATE MACRO number_abs(n) AS CASE json_type(to_json(n))
  WHEN 'VARCHAR' THEN to_json(unless_empty(to_json(n)->>'$'))
  ELSE ltrim(to_json(n)::VARCHAR, '-')::JSON END;
-- Not the sign itself: an ELSE for it would take a debt that cannot be read for a credit.
CREATE MACRO by_sign(n, negative, positive) AS CASE
  WHEN json_type(to_json(n)) = 'VARCHAR' THEN unless_empty(to_json(n)->>'$')
  WHEN regexp_full_match(to_json(n)::VARCHAR, '-?[0.]+') THEN NULL
  WHEN to_json(n)::VARCHAR LIKE '-%' THEN negative
  WHEN to_json(n) IS NOT NULL THEN positive END;

CREATE MACRO phone_e164(t, region) AS ${PHONE_FUNCTION}(t::VARCHAR, region::VARCHAR);

CREATE MACRO timestamp_of(t) AS try_strptime(
  translate(replace(trim(t), 'T', ' '), './', '--'),
  ['%d-%m-%Y %H:%M:%S', '%d-%m-%Y %H:%M', '%d-%m-%Y', '%Y-%m-%d %H:%M:%S', '%Y-%m-%d %H:%M', '%Y-%m-%d']);
-- A time that the clocks skip in spring cannot be read.
CREATE MACRO datetime_local(t, zone) AS CASE
  WHEN regexp_full_match(trim(t), '(${DAY}|${ISO_DAY})${TIME}')
    AND timezone(zone, timezone(zone, timestamp_of(t))) = timestamp_of(t)
    THEN strftime(timezone('UTC', timezone(zone, timestamp_of(t))), '%Y-%m-%dT%H:%M:%SZ')
  WHEN regexp_full_match(trim(t), '${ISO_TIME}') AND try_cast(trim(t) AS TIMESTAMPTZ) IS NOT NULL THEN trim(t)
  ELSE unless_empty(t) END;

-- list(struct ORDER BY ...) takes ten times the time and memory of this: text, sorted within each group. An item that is NULL is left out.
CREATE MACRO json_list(item) AS ('[' || nullif(array_to_string(list_sort(list(to_json(item)::VARCHAR)), ','), '') || ']')::JSON;
`;
