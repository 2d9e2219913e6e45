/** Generates input files for measurements: sample accounts of 3 KB and small ones of 600 bytes, written in batches. */

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { sampleRecords } from 'data-import-sdk/migration';

/** Domestic accounts without items: each needs one stage and one process request. */
export function* largeAccounts(count: number, seed = 1): Generator<string> {
  let given = 0;
  for (const { line } of sampleRecords({ accounts: 2 * count + 10, mistakes: 0, supplier: 'SUPPLIER', seed })) {
    const { account } = JSON.parse(line) as { account?: Record<string, unknown> };
    if (account === undefined || account['business'] !== undefined) continue;
    if (given++ === count) return;
    yield JSON.stringify({ account });
  }
}

/** About 600 bytes each. */
export function* smallAccounts(count: number): Generator<string> {
  for (let index = 1; index <= count; index++) {
    const number = `A-${String(index).padStart(7, '0')}`;
    const supply_points = [{ identifier: `000${number.slice(2)}0000`, supply_type: 'ELECTRICITY' }];
    yield JSON.stringify({
      account: {
        external_account_number: number,
        import_supplier: 'SUPPLIER',
        billing_address1: `${(index % 99) + 1} rue des Essais`,
        billing_address3: 'Essai-sur-Brume',
        billing_postcode: '99101',
        customers: [{ given_name: 'Alix', family_name: 'Arbois', email: `customer.${index}@example.com` }],
        supply_addresses: [
          {
            supply_address1: `${(index % 99) + 1} rue des Essais`,
            supply_postcode: '99101',
            customer_at_supply_address_from_date: '2023-05-01',
            supply_points,
          },
        ],
        metadata: [{ key: 'legacy', value: { system: 'old-billing', row: index } }],
      },
    });
  }
}

const LINES_AT_ONCE = 1000;

export async function writeInputFile(path: string, lines: Iterable<string>): Promise<void> {
  const file = createWriteStream(path);
  let block: string[] = [];
  const flush = async () => {
    if (!file.write(block.map((line) => `${line}\n`).join(''))) await once(file, 'drain');
    block = [];
  };
  for (const line of lines) {
    block.push(line);
    if (block.length === LINES_AT_ONCE) await flush();
  }
  await flush();
  file.end();
  await once(file, 'close');
}
