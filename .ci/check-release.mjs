/**
 * Ends with 1 if package.json cannot be published: an address is still the placeholder of CONTRIBUTING.md, or is not the
 * repository that publishes, which the registry compares with the provenance. Runs in release.yml and before `npm publish`.
 */
import { readFileSync } from 'node:fs';

const { repository, homepage, bugs } = JSON.parse(readFileSync('package.json', 'utf8'));
const addresses = { 'repository.url': repository?.url, homepage, 'bugs.url': bugs?.url };
const faults = Object.entries(addresses)
  .filter(([, address]) => address === undefined || /[/.]example\.(com|org|net)\b/.test(address))
  .map(([field, address]) => `${field} is ${address ?? 'missing'}, a placeholder. Write the real address into it.`);

const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = process.env;
const expected = `git+${server}/${name}.git`;
if (faults.length === 0 && name !== undefined && repository.url !== expected) {
  faults.push(`repository.url is ${repository.url}, but ${expected} publishes. The registry rejects this provenance.`);
}
if (faults.length > 0) {
  console.error(`package.json cannot be published (CONTRIBUTING.md, "Releases"):\n- ${faults.join('\n- ')}`);
  process.exitCode = 1;
}
