/**
 * `npm run bench [-- <group> …] [--quick] [--seed <number>]`: measures the groups of the plan, each in a separate
 * process, prints a table with machine, versions, seed and rounds, and writes it into docs/speed.md. Without a group it
 * measures all but the long ones. `--quick` only shows that everything works: its figures are not written.
 */
import { commandOf } from './frame/command.js';
import { machineLine, peersLine } from './frame/machine.js';
import { writeToPage } from './frame/page.js';
import { expectBuilt, linkOwn, preparePeers } from './frame/prepare.js';
import { reasonOf } from './frame/reason.js';
import { runGroup } from './frame/run.js';
import { missedIn, tableOf } from './frame/table.js';
import { type GroupName, planOf } from './plan.js';

try {
  await bench(process.argv.slice(2));
} catch (error) {
  console.error(reasonOf(error));
  process.exitCode = 2;
}

async function bench(args: string[]): Promise<void> {
  const command = commandOf(args);
  expectBuilt();
  if (command.groups.some((name) => planOf(name).needsPeers)) preparePeers(console.log);
  linkOwn();
  console.log(machineLine());
  const measured = new Map<GroupName, string>();
  const missed: string[] = [];
  for (const name of command.groups) {
    const plan = planOf(name);
    const startedAt = performance.now();
    console.log(`\n## ${plan.title} (${name})\n`);
    const { entries, rounds } = await runGroup(name, command, console.log);
    const about = [
      `${rounds === 0 ? 'One measurement' : `Medians of ${rounds} rounds`}, seed ${command.seed}.`,
      `Measured by \`npm run bench -- ${name}\` on ${machineLine()}${plan.needsPeers ? `; ${peersLine()}` : ''}.`,
    ];
    missed.push(...missedIn(plan, entries).map((what) => `${name}: ${what}`));
    measured.set(name, `${tableOf(plan, entries)}\n\n${about.join(' ')}`);
    console.log(`\n${measured.get(name)}\n\n${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  }
  console.log(`\n${[...measured].map(([name, table]) => `### ${planOf(name).title}\n\n${table}`).join('\n\n')}`);
  console.log(
    missed.length === 0 ? '\nEvery goal is met.' : `\nNot met:\n${missed.map((what) => `- ${what}`).join('\n')}`,
  );
  if (!command.isQuick) writeToPage(measured);
}
