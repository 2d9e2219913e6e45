/**
 * Exports `MACROS`, additional SQL functions for queries. They return a value that they cannot parse unchanged, so that the local check
 * reports it; with `?` before it, if a cast or the check would take it for a value.
 */
import { PHONE_FUNCTION } from './phone-function.js';

/** Spaces that spreadsheets use as thousands separators: a plain one and two non-breaking ones. */
const SPACES = ' \u00a0\u202f';

/** At most 15 digits, which a JSON number represents exactly. */
const NUMBERS = {
  plain: '-?(0|[1-9][0-9]{0,10})(,[0-9]{1,4})?|-?[1-9][0-9]{0,14}',
  // Without a comma, a point may be the decimal mark.
  grouped: `-?[1-9][0-9]{0,2}([${SPACES}][0-9]{3}){1,3}(,[0-9]{1,4})?|-?[1-9][0-9]{0,2}(\\.[0-9]{3}){1,3},[0-9]{1,4}`,
};

const DAY_AND_MONTH = '([0-2]?[0-9]|3[01])[/.-](0?[0-9]|1[0-2])[/.-]';
const DAY = `${DAY_AND_MONTH}[12][0-9]{3}`;
/** Two digits are no year: %Y would take 80 for the year 80. */
const ANY_DAY = '([0-9]{1,2}[/.-]){2}[12][0-9]{3}|[12][0-9]{3}([/.-][0-9]{1,2}){2}|[12][0-9]{7}';
const MIDNIGHT = '([ T]00:00(:00)?)?';
const TIME = '([ T]([01]?[0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?)?';

export const MACROS = `
CREATE MACRO blank(t) AS nullif(trim(t), '');

-- The pattern comes first: %Y would take 1/2/80 for the year 80. The first case is the common form, which takes a third of the time.
CREATE MACRO date_dmy(t) AS CASE
  WHEN regexp_full_match(t, '[0-3][0-9]/[01][0-9]/[12][0-9]{3}') THEN coalesce(strftime(try_strptime(t, '%d/%m/%Y'), '%Y-%m-%d'), t)
  WHEN regexp_full_match(trim(t), '${DAY}${MIDNIGHT}')
    THEN coalesce(strftime(try_strptime(translate(split_part(replace(trim(t), 'T', ' '), ' ', 1), '.-', '//'), '%d/%m/%Y'), '%Y-%m-%d'), t)
  ELSE blank(t) END;

-- The latest year that the two digits can mean: 26 is 2026 and 27 is 1927 for latest_year 2026.
CREATE MACRO with_century(t, latest_year) AS CASE
  WHEN regexp_full_match(trim(t), '${DAY_AND_MONTH}[0-9]{2}')
    THEN trim(t)[:-3] || (latest_year - (latest_year - trim(t)[-2:]::INTEGER) % 100) END;
CREATE MACRO date_dmyy(t, latest_year) AS CASE
  WHEN date_dmy(with_century(t, latest_year)) LIKE '____-__-__' THEN date_dmy(with_century(t, latest_year))
  ELSE blank(t) END;

CREATE MACRO date_as(t, format) AS CASE
  WHEN regexp_full_match(trim(t), '${ANY_DAY}') THEN coalesce(strftime(try_strptime(trim(t), format), '%Y-%m-%d'), t)
  ELSE blank(t) END;

-- 12,50- as -12,50: SAP writes the minus after the number.
CREATE MACRO minus_first(t) AS CASE WHEN regexp_full_match(t, '[^-]*[0-9] ?-') THEN '-' || rtrim(t[:-2]) ELSE t END;
-- The decimal with a point, as JSON writes it; NULL for any other text.
CREATE MACRO decimal_in(t) AS CASE
  WHEN regexp_full_match(t, '${NUMBERS.plain}') THEN replace(t, ',', '.')
  WHEN regexp_full_match(trim(t), '${NUMBERS.plain}') THEN replace(trim(t), ',', '.')
  WHEN regexp_full_match(trim(t), '${NUMBERS.grouped}') THEN replace(translate(trim(t), '${SPACES}.', ''), ',', '.') END;
CREATE MACRO decimal_of(t) AS coalesce(decimal_in(t), decimal_in(minus_first(trim(t))));
-- A cast would read 1.234 with a decimal point, which may mean 1234.
CREATE MACRO no_number(t) AS CASE
  WHEN try_cast(t AS DOUBLE) IS NOT NULL OR try_cast(t AS HUGEINT) IS NOT NULL THEN '?' || t
  ELSE blank(t) END;
CREATE MACRO number_comma(t) AS coalesce(decimal_of(t)::JSON, to_json(no_number(t)));
CREATE MACRO number_point(t) AS coalesce(decimal_of(translate(t, ',.', '.,'))::JSON, to_json(no_number(t)));
-- Of a number of these functions, and not of its text: abs() needs a cast, which rounds.
CREATE MACRO number_abs(n) AS CASE json_type(to_json(n)) WHEN 'VARCHAR' THEN to_json(n) ELSE ltrim(to_json(n)::VARCHAR, '-')::JSON END;
CREATE MACRO number_sign(n) AS CASE
  WHEN json_type(to_json(n)) = 'VARCHAR' THEN to_json(n)->>'$'
  WHEN regexp_full_match(to_json(n)::VARCHAR, '-?[0.]+') THEN '0'
  WHEN to_json(n)::VARCHAR LIKE '-%' THEN '-'
  WHEN to_json(n) IS NOT NULL THEN '+' END;

CREATE MACRO phone_e164(t, region) AS ${PHONE_FUNCTION}(t::VARCHAR, region::VARCHAR);

CREATE MACRO timestamp_of(t) AS try_strptime(
  translate(replace(trim(t), 'T', ' '), './', '--'),
  ['%d-%m-%Y %H:%M:%S', '%d-%m-%Y %H:%M', '%d-%m-%Y', '%Y-%m-%d %H:%M:%S', '%Y-%m-%d %H:%M', '%Y-%m-%d']);
-- A time that the clocks skip in spring comes back unchanged as well.
CREATE MACRO datetime_local(t, zone) AS CASE
  WHEN regexp_full_match(trim(t), '(${DAY}|[12][0-9]{3}-[01][0-9]-[0-3][0-9])${TIME}')
    AND timezone(zone, timezone(zone, timestamp_of(t))) = timestamp_of(t)
    THEN strftime(timezone('UTC', timezone(zone, timestamp_of(t))), '%Y-%m-%dT%H:%M:%SZ')
  ELSE blank(t) END;

-- list(struct ORDER BY ...) takes ten times the time and memory of this: text, sorted within each group.
CREATE MACRO json_list(item) AS ('[' || array_to_string(list_sort(list(to_json(item)::VARCHAR)), ',') || ']')::JSON;
`;
